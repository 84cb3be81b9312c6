package tokens

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"time"

	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/store"
)

// published is the name of a file's token of an instance, at the other instances. No name that a person gives has an @.
func published(f rest.Token, instance string) string { return nameOf(f) + "@" + instance }

// Publish has the other instances that use the store take the tokens of this one's files: admin@NAME and so on. What the
// store has of an earlier file of that name is replaced. It returns when they are durable; the others hear of it.
func (t *Table) Publish(ctx context.Context, instance string) error {
	for _, f := range t.cfg.Files {
		name, hash := published(f, instance), sha256.Sum256([]byte(f.Secret))
		if t.has(name, hash) {
			continue
		}
		r := &record{Name: name, Role: f.Role.String(), Hash: hex.EncodeToString(hash[:]),
			Created: t.cfg.Now().UTC().Truncate(time.Second), By: "instance " + instance}
		value, err := r.encode()
		if err != nil {
			return err
		}
		then := []store.Op{store.Put([]byte(prefix+name), value)}
		got, err := t.cfg.Store.Txn(ctx, store.Txn{Then: then})
		if err != nil {
			return err
		}
		t.apply([]change{{name, value, got.Revision}})
	}
	return nil
}

// Withdraw ends the tokens that an instance has published.
func (t *Table) Withdraw(instance string) error {
	for _, f := range t.cfg.Files { // whose roles all instances have
		no := new(rest.Refusal)
		err := t.Remove(published(f, instance))
		if err != nil && !(errors.As(err, &no) && no.Status == http.StatusNotFound) {
			return err
		}
	}
	return nil
}

// has reports whether a token of that name and hash is there.
func (t *Table) has(name string, hash [sha256.Size]byte) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := t.byName[name]
	return k != nil && k.record != nil && k.record.hash == hash
}
