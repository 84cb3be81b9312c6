package stats

import "github.com/weirnet/weir/openflow"

// Conn is what this package needs of a switch's session. No method blocks.
type Conn interface {
	// Multipart queues a request; answer is called once, on any goroutine, with all parts merged,
	// or with an error: ErrRefused if the switch answered with an OpenFlow error. It is not called
	// if Multipart itself returns an error: ErrBusy if there is no room in the queue.
	Multipart(body openflow.RequestBody, answer func(openflow.ReplyBody, error)) error
	// MultipartParts is Multipart without merging: part gets the bytes of each reply's body, valid during the call, on one
	// goroutine with the answer after them. An error of part ends the request with that error.
	MultipartParts(body openflow.RequestBody, part func(v openflow.Version, body []byte) error, answer func(error)) error
	// Queue is how many bytes wait for the switch.
	Queue() int
}
