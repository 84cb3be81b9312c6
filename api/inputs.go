package api

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/netview"
)

// Actor is who asks for a change.
type Actor struct {
	Name    string // of the token
	Role    Role
	From    string // the address of the caller
	Request string // id of the request
}

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
	Apply(text []byte, by Actor, dryRun bool) ([]client.ConfigChange, netview.Revision, error)
}

// Drains are what is drained. Objects are written as config.FormatPoint and config.LinkRef write
// them.
type Drains interface {
	// List is all drains, in order of kind and object, with what still passes. Names are filled in
	// by the API.
	List() []client.Drain
	// Add drains something; something that is drained already stays so. The error wraps ErrNotKept.
	Add(kind config.DrainKind, object string, by Actor) (client.Drain, netview.Revision, error)
	// Remove ends a drain. It is false if there was none. The error wraps ErrNotKept.
	Remove(kind config.DrainKind, object string) (bool, netview.Revision, error)
}

// Auditor is the audit log.
type Auditor interface {
	// Write returns when the record is on the disk.
	Write(client.AuditRecord) error
	// Begin returns when the record outlives this process; synced waits until it is on the disk.
	Begin(client.AuditRecord) (synced func() error, err error)
	// Note takes a record without blocking, and may drop it.
	Note(client.AuditRecord)
	// Read answers the newest records of that time or later, the oldest first.
	Read(since time.Time, limit int) ([]client.AuditRecord, error)
}

// changeKey is the key of the running change in a request's context.
type changeKey struct{}

// change is a request that changes something. The handler fills in what the audit log says of it.
type change struct {
	by             Actor
	object, detail string
	body           []byte     // read already; nil: not
	reader         bodyReader // of it, for handlers that read it themselves
}

// bodyReader is a body that has been read already.
type bodyReader struct{ bytes.Reader }

// Close implements io.ReadCloser.
func (*bodyReader) Close() error { return nil }

// changeOf returns the change that a request is; an empty one outside of requests.
func changeOf(ctx context.Context) *change {
	if c, ok := ctx.Value(changeKey{}).(*change); ok {
		return c
	}
	return &change{}
}
