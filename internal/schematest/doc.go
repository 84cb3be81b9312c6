// Package schematest has what tests of the fields of intents (intent/schema) share: the file of protobuf
// as a compiler of its own reads it, and a value for any field.
package schematest
