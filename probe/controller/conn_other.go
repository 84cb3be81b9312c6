//go:build !linux

package controller

import (
	"net"
	"time"
)

// stampedReader is there on Linux only.
type stampedReader struct{}

func newStampedReader(net.Conn) *stampedReader { return nil }

func (*stampedReader) read([]byte) (int, time.Duration, error) { return 0, 0, nil }
