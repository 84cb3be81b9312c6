// Package intentpb is the protobuf form of requests about intents: the file that describes it, the numbers in it that
// are not in the table of package schema, and what appends a field.
//
// # The problem
//
// The server and the client write and read these messages field by field, for speed; a third program makes its code from
// the file. All three must mean the same.
//
// # Inputs and outputs
//
// File is intents.proto, as the server shows it to those who ask; its message IntentRequest is written from the table. The
// constants are field numbers and enumerations of the other messages. A test of package wire compiles the file and reads
// and writes the messages by it.
package intentpb
