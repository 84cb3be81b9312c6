package rest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"

	"github.com/weirnet/weir/api/client"
)

// Actor is who asks for a change.
type Actor struct {
	Name    string // of the token
	Role    Role
	Tenant  string // of RoleTenant: whose
	From    string // the address of the caller
	Via     string // the instance that the caller asked; empty: this one
	Request string // id of the request

	grant *Grant // of an issued token; nil: of none
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
	By             Actor
	Object, Detail string
	body           []byte     // read already; nil: not
	reader         bodyReader // of it, for handlers that read it themselves
}

// bodyReader is a body that has been read already.
type bodyReader struct{ bytes.Reader }

// Close implements io.ReadCloser.
func (*bodyReader) Close() error { return nil }

// ChangeOf returns the change that a request is; an empty one outside of requests.
func ChangeOf(ctx context.Context) *change {
	if c, ok := ctx.Value(changeKey{}).(*change); ok {
		return c
	}
	return &change{}
}

// Body returns the body of a request, which the audit has read already where there is one.
func Body(r *http.Request) ([]byte, error) {
	if c := ChangeOf(r.Context()); c.body != nil {
		return c.body, nil
	}
	return io.ReadAll(r.Body)
}
