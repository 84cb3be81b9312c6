//go:build !linux

package shares

import (
	"errors"
	"time"
)

// clockFile is a timer of the system, which there is on Linux only.
type clockFile struct{}

func openClock() *clockFile { return nil }

func (*clockFile) set(time.Duration) error { return errors.ErrUnsupported }

func (*clockFile) wait(*[8]byte) error { return errors.ErrUnsupported }

func (*clockFile) close() {}
