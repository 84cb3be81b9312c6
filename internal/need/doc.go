// Package need declares what a test needs: external programs, root, exact allocation counts, samples
// of messages.
//
// # The problem
//
// A test that quietly skips itself looks like one that passes. On a developer's machine a missing
// program is a reason to skip; under continuous integration, where the setup script has installed
// everything, it is a failure.
//
// # Inputs and outputs
//
// Every function takes the test and returns when the need is met. When it is not, the test is
// skipped, or fails if the environment variable CI is set (`make test` sets it). NoRace and
// OneGoroutine skip under the race detector in either case, because `make test` runs their tests a
// second time without it. Await waits for what must come, and fails where it does not.
package need
