// Package window is what a load has sent and waits for the answer of.
//
// # The problem
//
// Each answer must count once, for what it answers, also where answers are late, doubled, wrong or out
// of order; and what stands in a message to know its answer by has a few bits.
//
// # Inputs and outputs
//
// Take gives what is sent a token of 31 bits, with the time for which it was meant; Answer gives that
// back, once. A Window is not safe for concurrent use.
package window
