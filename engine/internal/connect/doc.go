// Package connect speaks the part of Spark Connect that a program needs to send
// itself to a cluster: open a session, send files, run SQL, cancel, close.
//
// Spark Connect is gRPC: messages over HTTP/2, each preceded by five bytes, and a
// status in the trailers. This package writes and reads the few messages by their
// field numbers (spark/connect/base.proto, relations.proto and commands.proto of
// Apache Spark 3.5 and 4), because that needs no generated code, and net/http has
// HTTP/2.
//
// It must never print or return a token.
package connect
