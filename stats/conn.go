package stats

import "github.com/weirnet/weir/openflow"

// Conn is what this package needs of a switch's session. No method blocks.
type Conn interface {
	// Multipart queues a request; answer is called once, on any goroutine, with all parts merged,
	// or with an error: ErrRefused if the switch answered with an OpenFlow error. It is not called
	// if Multipart itself returns an error: ErrBusy if there is no room in the queue.
	Multipart(body openflow.RequestBody, answer func(openflow.ReplyBody, error)) error
	// Queue is how many bytes wait for the switch.
	Queue() int
}
