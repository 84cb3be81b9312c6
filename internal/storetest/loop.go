package storetest

import (
	"sync"
	"sync/atomic"

	"github.com/weirnet/weir/store"
)

// beside runs f in a goroutine, whose end is waited for with wait: before the test ends, since its
// context ends with it.
func (s *subject) beside(f func()) (wait func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	return func() { <-done }
}

// races has writers count up one key, each by reading and comparing: no count is lost.
func races(s *subject) {
	const writers, each = 8, 20
	s.put("n", "")
	var lost atomic.Int64
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for done := 0; done < each; {
				held, err := s.countUp("n")
				switch {
				case err != nil:
					s.Error(err)
					return
				case held:
					done++
				default:
					lost.Add(1)
				}
			}
		})
	}
	all.Wait()
	if p := s.get(store.Key("n"))[0]; len(p.Value) != writers*each || p.Version != writers*each+1 {
		s.Errorf("%d of %d counts, version %d; %d races", len(p.Value), writers*each, p.Version, lost.Load())
	}
}

// countUp adds a byte to a key, if nobody changes it meanwhile.
func (s *subject) countUp(key string) (held bool, err error) {
	page, err := s.st.Range(s.ctx, store.Query{Span: store.Key(key)})
	if err != nil {
		return false, err
	}
	p := page.Pairs[0]
	r, err := s.st.Txn(s.ctx, store.Txn{
		If:   []store.Compare{store.Unchanged(p.Key, p.Mod)},
		Then: []store.Op{store.Put(p.Key, append(p.Value, 'x'))},
	})
	return r.Succeeded, err
}
