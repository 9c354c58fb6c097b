// Package pack is the on-disk form of a large observed matrix.
package pack
