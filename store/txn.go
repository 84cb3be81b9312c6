package store

import (
	"bytes"
	"cmp"
	"fmt"
)

// Limits of a transaction: etcd's defaults, less the overhead of encoding.
const (
	MaxTxnOps   = 128     // in Then, and in Else
	MaxTxnBytes = 5 << 18 // of keys and values, 1.25 MiB
	MaxKey      = 1024    // bytes of a key
)

func endOfKeys() []byte { return bytes.Repeat([]byte{0xff}, MaxKey+1) }

// Txn is a transaction: if all of If are true, Then is executed, otherwise Else, atomically.
type Txn struct {
	If         []Compare
	Then, Else []Op
}

// Field is the property of a key that is compared.
type Field uint8

// The fields. A key that does not exist has 0 for each number, and the empty value.
const (
	ModRevision Field = iota
	CreateRevision
	KeyVersion
	Value
)

// Relation is the relation that a comparison requires.
type Relation uint8

// The relations of the stored to the given value.
const (
	Equal Relation = iota
	NotEqual
	Less
	Greater
)

// Compare is a condition on one key.
type Compare struct {
	Key      []byte
	Field    Field
	Relation Relation
	Number   int64  // for the fields that are numbers
	Value    []byte // for Value
}

// Absent returns the condition that a key does not exist.
func Absent(key []byte) Compare { return Compare{Key: key, Field: CreateRevision} }

// Unchanged returns the condition that a key was last changed at a revision.
func Unchanged(key []byte, mod Revision) Compare {
	return Compare{Key: key, Field: ModRevision, Number: int64(mod)}
}

// OpKind is the kind of an operation.
type OpKind uint8

// The kinds of operations.
const (
	OpPut OpKind = iota
	OpDelete
	OpRange
)

// Op is one operation of a transaction. Operations see the effects of those before them; a key is
// changed by at most one of them.
type Op struct {
	Kind  OpKind
	Key   []byte // OpPut
	Value []byte
	Lease LeaseID
	Span  Span  // OpDelete
	Query Query // OpRange; its Revision and Local are not used
}

// Put returns the operation that writes a value.
func Put(key, value []byte) Op { return Op{Kind: OpPut, Key: key, Value: value} }

// Delete returns the operation that deletes the keys of a span.
func Delete(span Span) Op { return Op{Kind: OpDelete, Span: span} }

// Get returns the operation that reads a span.
func Get(span Span) Op { return Op{Kind: OpRange, Query: Query{Span: span}} }

// Result is the result of a transaction.
type Result struct {
	Succeeded bool       // If was true: Then was executed, otherwise Else
	Revision  Revision   // of the store after it
	Results   []OpResult // of the executed operations, in order
}

// OpResult is the result of one operation: the pairs of a range, or the number of deleted keys.
type OpResult struct {
	Pairs   []Pair
	More    bool
	Deleted int64
}

// Check returns an error for a transaction that no store accepts.
func (t *Txn) Check() error {
	size := 0
	for i := range t.If {
		if err := checkKey(t.If[i].Key); err != nil {
			return err
		}
		size += len(t.If[i].Key) + len(t.If[i].Value)
	}
	for _, ops := range [][]Op{t.Then, t.Else} {
		n, err := checkOps(ops)
		if err != nil {
			return err
		}
		size += n
	}
	if size > MaxTxnBytes {
		return fmt.Errorf("%w: %d bytes, and at most %d are taken", ErrTooLarge, size, MaxTxnBytes)
	}
	return nil
}

func checkKey(key []byte) error {
	if len(key) == 0 || len(key) > MaxKey {
		return fmt.Errorf("%w: a key of %d bytes, want 1 to %d", ErrInvalid, len(key), MaxKey)
	}
	return nil
}

// Check returns an error for a span that no store accepts.
func (s Span) Check() error {
	if err := checkKey(s.From); err != nil {
		return err
	}
	if len(s.To) > 0 && bytes.Compare(s.From, s.To) >= 0 {
		return fmt.Errorf("%w: a span that ends at %q, before it begins at %q", ErrInvalid, s.To, s.From)
	}
	return nil
}

// checkOps checks one branch, and returns its size in bytes.
func checkOps(ops []Op) (size int, err error) {
	if len(ops) > MaxTxnOps {
		return 0, fmt.Errorf("%w: %d operations, and at most %d are taken", ErrTooLarge, len(ops), MaxTxnOps)
	}
	put := make(map[string]bool, len(ops))
	var gone []Span
	for i := range ops {
		op := &ops[i]
		switch op.Kind {
		case OpPut:
			err = checkKey(op.Key)
			if put[string(op.Key)] {
				err = fmt.Errorf("%w: %q is put twice", ErrInvalid, op.Key)
			}
			put[string(op.Key)] = true
			size += len(op.Key) + len(op.Value)
		case OpDelete:
			err = op.Span.Check()
			gone = append(gone, op.Span)
			size += len(op.Span.From) + len(op.Span.To)
		default:
			err = op.Query.Span.Check()
			size += len(op.Query.Span.From) + len(op.Query.Span.To)
		}
		if err != nil {
			return 0, err
		}
	}
	for _, span := range gone {
		for i := range ops {
			if ops[i].Kind == OpPut && span.Contains(ops[i].Key) {
				return 0, fmt.Errorf("%w: %q is put and deleted", ErrInvalid, ops[i].Key)
			}
		}
	}
	return size, nil
}

// matches reports whether a condition is true of a key; the zero Pair if it does not exist.
func (c *Compare) matches(p *Pair) bool {
	order := 0
	switch c.Field {
	case ModRevision:
		order = cmp.Compare(int64(p.Mod), c.Number)
	case CreateRevision:
		order = cmp.Compare(int64(p.Create), c.Number)
	case KeyVersion:
		order = cmp.Compare(p.Version, c.Number)
	default:
		order = bytes.Compare(p.Value, c.Value)
	}
	switch c.Relation {
	case Equal:
		return order == 0
	case NotEqual:
		return order != 0
	case Less:
		return order < 0
	}
	return order > 0
}
