//go:build !linux

package udp

import (
	"errors"
	"net"
	"time"

	"github.com/weirnet/weir/probe/stamp"
)

type control struct {
	at   time.Time
	ttl  uint8
	id   uint32
	from []byte
}

var errLinux = errors.New("STAMP with the kernel's times needs Linux")

func stampRequests(*net.UDPConn) error { return errLinux }

func stampReplies(*net.UDPConn) error { return errLinux }

func readControl([]byte) control { return control{} }

func watch(*net.UDPConn, func(control), func([]byte, control), func(error)) error { return errLinux }

func ownClock() stamp.Accuracy { return stamp.Accuracy{Error: unknownError} }
