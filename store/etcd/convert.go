package etcd

import (
	"slices"
	"strings"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/weirnet/weir/store"
)

// Conversion between the types of package store and those of the client.

// spanOptions returns the options of a request for a span whose key is its From.
func spanOptions(s store.Span) []clientv3.OpOption {
	if len(s.To) == 0 {
		return nil
	}
	return []clientv3.OpOption{clientv3.WithRange(string(s.To))}
}

// queryOptions returns the options of a query that a transaction may have too.
func queryOptions(q *store.Query) []clientv3.OpOption {
	options := spanOptions(q.Span)
	if q.Limit > 0 {
		options = append(options, clientv3.WithLimit(int64(q.Limit)))
	}
	if q.KeysOnly {
		options = append(options, clientv3.WithKeysOnly())
	}
	return options
}

var relations = [...]string{store.Equal: "=", store.NotEqual: "!=", store.Less: "<", store.Greater: ">"}

func compares(list []store.Compare) []clientv3.Cmp {
	out := make([]clientv3.Cmp, len(list))
	for i := range list {
		c := &list[i]
		key, relation := string(c.Key), relations[c.Relation]
		switch c.Field {
		case store.ModRevision:
			out[i] = clientv3.Compare(clientv3.ModRevision(key), relation, c.Number)
		case store.CreateRevision:
			out[i] = clientv3.Compare(clientv3.CreateRevision(key), relation, c.Number)
		case store.KeyVersion:
			out[i] = clientv3.Compare(clientv3.Version(key), relation, c.Number)
		default:
			out[i] = clientv3.Compare(clientv3.Value(key), relation, string(c.Value))
		}
	}
	return out
}

// mayWrite reports whether a transaction may write, and needs space.
func mayWrite(txn *store.Txn) bool {
	puts := func(op store.Op) bool { return op.Kind == store.OpPut }
	return slices.ContainsFunc(txn.Then, puts) || slices.ContainsFunc(txn.Else, puts)
}

// smallPrefix are keys of rows without which nobody could make room: who owns the store, and whose turn it is. They are few
// and short, and taken by a full store too.
var smallPrefix = []string{"instances/", turnKey}

// isFence reports whether an operation takes a journal over (journal.Open): until that is done the writer before may go on.
func isFence(op *store.Op) bool {
	return op.Kind == store.OpPut && strings.HasSuffix(string(op.Key), "/writer") && len(op.Value) == fenceBytes
}

// fenceBytes is the length of the row of a journal's writer.
const fenceBytes = 24

// TakenWhenFull reports whether a transaction writes such rows alone, or takes a journal over.
func TakenWhenFull(txn *store.Txn) bool {
	if len(txn.Then) == 1 && isFence(&txn.Then[0]) {
		return true
	}
	large := func(op store.Op) bool {
		return op.Kind == store.OpPut && !slices.ContainsFunc(smallPrefix, func(p string) bool {
			return strings.HasPrefix(string(op.Key), p)
		})
	}
	return !slices.ContainsFunc(txn.Then, large) && !slices.ContainsFunc(txn.Else, large)
}

func ops(list []store.Op) []clientv3.Op {
	out := make([]clientv3.Op, len(list))
	for i := range list {
		op := &list[i]
		switch op.Kind {
		case store.OpPut:
			out[i] = clientv3.OpPut(string(op.Key), string(op.Value), clientv3.WithLease(clientv3.LeaseID(op.Lease)))
		case store.OpDelete:
			out[i] = clientv3.OpDelete(string(op.Span.From), spanOptions(op.Span)...)
		default:
			out[i] = clientv3.OpGet(string(op.Query.Span.From), queryOptions(&op.Query)...)
		}
	}
	return out
}

func result(reply *clientv3.TxnResponse) store.Result {
	r := store.Result{Succeeded: reply.Succeeded, Revision: store.Revision(reply.Header.Revision),
		Results: make([]store.OpResult, len(reply.Responses))}
	for i, a := range reply.Responses {
		switch {
		case a.GetResponseRange() != nil:
			r.Results[i].Pairs = pairs(a.GetResponseRange().Kvs)
			r.Results[i].More = a.GetResponseRange().More
		case a.GetResponseDeleteRange() != nil:
			r.Results[i].Deleted = a.GetResponseDeleteRange().Deleted
		}
	}
	return r
}

func pairs(list []*mvccpb.KeyValue) []store.Pair {
	if len(list) == 0 {
		return nil
	}
	out := make([]store.Pair, len(list))
	for i, kv := range list {
		out[i] = pair(kv)
	}
	return out
}

func pair(kv *mvccpb.KeyValue) store.Pair {
	return store.Pair{
		Key: kv.Key, Value: kv.Value, Create: store.Revision(kv.CreateRevision), Mod: store.Revision(kv.ModRevision),
		Version: kv.Version, Lease: store.LeaseID(kv.Lease),
	}
}
