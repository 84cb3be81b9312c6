package host

import "time"

// stage is the state of a command.
type stage uint8

const (
	sending   stage = iota
	waiting         // for the last answers
	done            // and lingering
	forgotten       // by the host
)

// linger is how long a finished ping or flow keeps its identifier or port, to count late answers.
const linger = 30 * time.Second
