// Package intentpb is the protobuf form of requests about intents: the file that describes it, the numbers in it, and
// what appends a field.
//
// # The problem
//
// The server and the client write and read these messages field by field, for speed; a third program makes its code from
// the file. All three must mean the same.
//
// # Inputs and outputs
//
// File is intents.proto, as the server shows it to those who ask. The constants are its field numbers and enumerations. A
// test of package wire compiles the file and reads and writes the messages by it.
package intentpb
