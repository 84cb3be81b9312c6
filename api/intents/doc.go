// Package intents serves /v1/intents: requests about intents, alone, in batches and in streams, and what became of
// them.
//
// # The problem
//
// A hundred thousand requests a second come in three forms. Each is answered in time, though the store be slow or say
// nothing, and none is lost or done twice.
//
// # Inputs and outputs
//
// New takes the engine of intents, and makes a Resource, whose Routes a Stack serves. Package wire reads the
// requests and writes the answers. One goroutine of a stream reads, a second one writes.
//
// # Invariants
//
//   - An answer 202 says that the request is durable. Where the store has not answered within Limits.StoreAnswer the
//     answer says that the outcome is unknown, and how to find out.
//   - Of a stream a bounded number of batches waits; while it is full nothing more is read.
//   - What an intent has carried never goes back, though its flow entries begin anew.
package intents
