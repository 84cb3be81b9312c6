//go:build !linux

package twin

import (
	"context"
	"errors"
)

// Start refuses: the devices are Linux's.
func Start(context.Context, Config) (*Twin, error) {
	return nil, errors.New("an emulated switch between two interfaces needs Linux")
}
