package api

import (
	"errors"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/netview"
)

// The errors of what takes changes.
var (
	// ErrNotKept is wrapped where a change could not be written down, and so was not made: 503, or
	// 507 where there is no room. With store.ErrUnknown it is made as soon as it is known to be
	// written.
	ErrNotKept = errors.New("the change was not made, because it could not be kept")
	// ErrNotAllowed is wrapped where the role of the caller does not reach: 403.
	ErrNotAllowed = errors.New("not allowed")
)

// Configuration is what an instance is set up with. Its methods are called from many goroutines and
// may wait for the disk.
type Configuration interface {
	// Show is the configuration in force.
	Show() client.Configuration
	// Apply replaces the configuration and says what changed; with dryRun, what would, whoever may
	// make the changes. The error is strictyaml.Problems where something is wrong with it, or wraps
	// ErrNotKept or, but for a dry run, ErrNotAllowed; nothing has changed then.
	Apply(text []byte, by rest.Actor, dryRun bool) ([]client.ConfigChange, netview.Revision, error)
}

// Drains are what is drained. Objects are written as config.FormatPoint and config.LinkRef write
// them.
type Drains interface {
	// List is all drains, in order of kind and object, with what still passes. Names are filled in
	// by the API.
	List() []client.Drain
	// Add drains something; something that is drained already stays so. The error wraps ErrNotKept.
	Add(kind config.DrainKind, object string, by rest.Actor) (client.Drain, netview.Revision, error)
	// Remove ends a drain. It is false if there was none. The error wraps ErrNotKept.
	Remove(kind config.DrainKind, object string) (bool, netview.Revision, error)
}
