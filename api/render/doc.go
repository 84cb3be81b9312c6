// Package render makes the JSON items of package client: of rows of the view, of flow entries, and of intents.
//
// # The problem
//
// A list, an answer of one item and an event show the same thing, and must show it alike.
//
// # Inputs and outputs
//
// In: a row, with the snapshot that it is joined with. Out: its item. Nothing is kept.
package render
