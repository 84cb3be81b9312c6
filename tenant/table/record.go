package table

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/tenant"
)

// The keys in the store: a record of each tenant, and one of their numbers.
const (
	prefix     = "tenants/"
	numbersKey = "tenants"
)

const (
	recordHead  = "weir-tenant 1 sha256 "
	numbersHead = "weir-tenants 1 sha256 "
)

// maxRecord bounds the value of a record, which one transaction has to hold beside the numbers.
const maxRecord = 1 << 20

// record is what the store has of a tenant.
type record struct {
	client.TenantDefinition
	ID      string    `json:"id"`
	Created time.Time `json:"created"`
	By      string    `json:"by"`

	def *tenant.Definition
}

func (r *record) encode() ([]byte, error) { return encode(recordHead, r) }

func encode(head string, v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return headed(head, body), nil
}

func headed(head string, body []byte) []byte {
	return fmt.Appendf(nil, "%s%x\n%s", head, sha256.Sum256(body), body)
}

// errNewer is wrapped where a newer version may have written something.
var errNewer = errors.New("it is damaged, or a newer version has written it")

// decode reads what encode has written.
func decode(head string, value []byte, v any) error {
	if len(value) > maxRecord {
		return fmt.Errorf("it has %d bytes, want at most %d", len(value), maxRecord)
	}
	line, body, _ := bytes.Cut(value, []byte("\n"))
	sum, known := bytes.CutPrefix(line, []byte(head))
	switch {
	case !known:
		return fmt.Errorf("it does not begin with %q: %w", head, errNewer)
	case string(sum) != fmt.Sprintf("%x", sha256.Sum256(body)):
		return errors.New("its checksum is wrong")
	}
	fields := json.NewDecoder(bytes.NewReader(body))
	fields.DisallowUnknownFields()
	if err := fields.Decode(v); err != nil {
		return fmt.Errorf("%w: %w", err, errNewer)
	}
	if _, err := fields.Token(); err != io.EOF {
		return errors.New("something follows it")
	}
	return nil
}

// decodeRecord reads the record of a name.
func decodeRecord(name string, value []byte) (*record, error) {
	r := new(record)
	if err := decode(recordHead, value, r); err != nil {
		return nil, err
	}
	if r.Name != name {
		return nil, fmt.Errorf("it is that of tenant %q", rest.Truncate(r.Name))
	}
	if id, err := hex.DecodeString(r.ID); err != nil || len(id) != idBytes {
		return nil, fmt.Errorf("id %q: want %d hexadecimal digits", rest.Truncate(r.ID), 2*idBytes)
	}
	var err error
	if r.def, err = Parse(&r.TenantDefinition); err != nil {
		return nil, err
	}
	if r.def.Number == 0 {
		return nil, &tenant.Error{Field: "number", Given: "none", Want: fmt.Sprintf("1 to %d", plan.TenantMax)}
	}
	r.def.ID = r.ID
	r.TenantDefinition = Format(r.def)
	return r, nil
}

// idBytes is the length of a tenant's id.
const idBytes = 16

// etag is that of the definition.
func (r *record) etag() string {
	body, err := json.Marshal(&r.TenantDefinition)
	if err != nil {
		panic(err) // strings and numbers
	}
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:8])
}

// numbers are those of tenants.
type numbers struct {
	Taken map[string]uint16 `json:"taken"` // by the tenant's name
	Freed []uint16          `json:"freed"` // the one that has been free for the longest time first
}

func decodeNumbers(value []byte) (*numbers, error) {
	n := new(numbers)
	if err := decode(numbersHead, value, n); err != nil {
		return nil, err
	}
	seen := make(map[uint16]bool)
	take := func(number uint16) error {
		if number == 0 || number > plan.TenantMax || seen[number] {
			return fmt.Errorf("number %d: want each once, from 1 to %d", number, plan.TenantMax)
		}
		seen[number] = true
		return nil
	}
	for name, number := range n.Taken {
		if name == "" {
			return nil, errors.New("a number of a tenant without a name")
		}
		if err := take(number); err != nil {
			return nil, err
		}
	}
	for _, number := range n.Freed {
		if err := take(number); err != nil {
			return nil, err
		}
	}
	return n, nil
}
