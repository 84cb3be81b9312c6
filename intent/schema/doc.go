// Package schema is the table of the fields that a request about an intent has.
//
// # The problem
//
// A request is written and read as JSON, as lines of JSON and as protobuf; it is described to other
// programs by an OpenAPI document and a .proto file, and to people by a page and the help of
// commands; most of its fields are stored. A field that one of these does not have is left out in
// silence, or is refused where it should be served.
//
// # Inputs and outputs
//
// Rows has a row for each field. Readers (package wire), writers (package client), the OpenAPI
// document (package api), the flags of commands and the files that they read (package cli), and
// bounds, durable bytes and texts of fields of one value (package spec) go by it; message
// IntentRequest of intents.proto and the table of docs/intents.md are written from it (go test
// ./intent/schema -rewrite). A test holds all of them to the table.
//
// # Invariants
//
//   - Numbers never change, nor do values of an Enum, nor their order.
//   - A row whose form is Text, Enum, Number or Flag needs, beside the row, only the members that hold
//     its value, and where they are: in client.IntentRequest and client.Intent, and in spec.Spec (or
//     intent.Request).
//
// The package is pure: standard library only.
package schema
