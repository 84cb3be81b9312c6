//go:build !linux

package twin

import "errors"

// program cannot be: the devices are Linux's.
type program struct{}

func (*program) Ended() error { return errors.ErrUnsupported }

func (*program) close() error { return nil }
