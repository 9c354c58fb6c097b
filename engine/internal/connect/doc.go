// Package connect speaks as much of Spark Connect as a program needs that sends
// itself to a cluster: open a session, send files, run SQL, cancel, close.
//
// Spark Connect is gRPC: messages with five bytes before each, over HTTP/2, and a
// status in the trailers. The few messages are written and read by their field
// numbers (spark/connect/base.proto, relations.proto and commands.proto of Apache
// Spark 3.5 and 4), because that needs no generated code, and net/http has HTTP/2.
//
// It must never print or return a token.
package connect
