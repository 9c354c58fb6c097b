// Package modeltest makes small models for the tests of the packages that use them.
package modeltest
