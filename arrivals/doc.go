// Package arrivals counts what comes of packets that carry numbers.
//
// # The problem
//
// A receiver is to say how many of a stream's packets were lost, came twice or came late, while it
// goes on for hours at any rate: it cannot keep what it has seen.
//
// # Inputs and outputs
//
// Numbers takes each number as it comes, from 0 on, and has the counts.
//
// # Invariants
//
//   - The last Window numbers are known one by one; what is further back counts as reordered, and as
//     stale, since nobody can tell whether it is a duplicate.
//   - Received and Missing together are Next, but for what is stale.
package arrivals
