// Package client is the Go client of Weir's REST interface, and the one place where the JSON of
// that interface is declared: the server answers with the types of this package.
//
// # The problem
//
// Commands, benchmarks and other programs read the network view of an instance over HTTP. They want
// types, deadlines, paging that they need not see, a stream of changes that survives a broken
// connection, and errors that say what the server said.
//
// # Inputs and outputs
//
// New takes an address and a token. Every method takes a context; its error is a *Problem where the
// server refused, and wraps ErrUnreachable where there was no answer.
//
// # Units
//
// Numbers of 64 bits (cookies, counters) are hexadecimal strings with 0x, because JSON's numbers
// lose their low bits; datapath ids are 16 hexadecimal digits. Speeds are in Mbit/s, delays in µs,
// as the names of the fields say. A value that is not known is null.
package client
