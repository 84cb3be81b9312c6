package tokens

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/weirnet/weir/api/rest"
)

// prefix is that of the keys of all tokens in the store.
const prefix = "tokens/"

const recordHead = "weir-token 1 sha256 "

// maxRecord bounds the value of a record: more is none of ours.
const maxRecord = 4 << 10

// record is what the store has of a token.
type record struct {
	Name    string     `json:"name"`
	Role    string     `json:"role"`
	Hash    string     `json:"sha256"`
	Created time.Time  `json:"created"`
	By      string     `json:"by"`
	Expires *time.Time `json:"expires,omitempty"`
	// Of role tenant: whose it is, and the id of that tenant, which no later one of its name has.
	Tenant   string `json:"tenant,omitempty"`
	TenantID string `json:"tenant_id,omitempty"`

	role rest.Role
	hash [sha256.Size]byte
}

func (r *record) encode() ([]byte, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return headed(body), nil
}

func headed(body []byte) []byte {
	return fmt.Appendf(nil, "%s%x\n%s", recordHead, sha256.Sum256(body), body)
}

// decode reads the record of a name.
func decode(name string, value []byte) (*record, error) {
	if len(value) > maxRecord {
		return nil, fmt.Errorf("it has %d bytes, want at most %d", len(value), maxRecord)
	}
	head, body, _ := bytes.Cut(value, []byte("\n"))
	sum, known := bytes.CutPrefix(head, []byte(recordHead))
	switch {
	case !known:
		return nil, fmt.Errorf("it does not begin with %q: it is damaged, or a newer version has written it", recordHead)
	case string(sum) != fmt.Sprintf("%x", sha256.Sum256(body)):
		return nil, errors.New("its checksum is wrong")
	}
	r := new(record)
	fields := json.NewDecoder(bytes.NewReader(body))
	fields.DisallowUnknownFields()
	if err := fields.Decode(r); err != nil {
		return nil, fmt.Errorf("%w: it is damaged, or a newer version has written it", err)
	}
	if _, err := fields.Token(); err != io.EOF {
		return nil, errors.New("something follows it")
	}
	return r, r.check(name)
}

// check completes a record that was read.
func (r *record) check(name string) error {
	if r.Name != name {
		return fmt.Errorf("it is that of token %q", rest.Truncate(r.Name))
	}
	if r.role = roleOf(r.Role); r.role == rest.RoleNone {
		return fmt.Errorf("role %q: want viewer, operator, admin or tenant", rest.Truncate(r.Role))
	}
	if of := r.role == rest.RoleTenant; of != (r.Tenant != "") || of != (r.TenantID != "") {
		return fmt.Errorf("role %s with tenant %q, id %q: want both with role tenant, and with no other", r.Role,
			rest.Truncate(r.Tenant), rest.Truncate(r.TenantID))
	}
	hash, err := hex.DecodeString(r.Hash)
	if err != nil || len(hash) != len(r.hash) {
		return fmt.Errorf("sha256 %q: want %d hexadecimal digits", rest.Truncate(r.Hash), 2*len(r.hash))
	}
	copy(r.hash[:], hash)
	return nil
}

// roleOf returns a role by its name; RoleNone if there is none of that name.
func roleOf(name string) rest.Role {
	for _, r := range []rest.Role{rest.RoleTenant, rest.RoleViewer, rest.RoleOperator, rest.RoleAdmin} {
		if r.String() == name {
			return r
		}
	}
	return rest.RoleNone
}
