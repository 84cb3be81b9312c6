package etcd

import (
	"context"
	"fmt"
	"time"

	"github.com/weirnet/weir/store"
)

// turnKey is there while a member of several defragments its file. It goes with a lease, so that a member that dies does not
// keep the others from it.
const (
	turnKey  = "store/defragments"
	turnTime = 30 * time.Second
)

// Defragment implements store.Store. It needs as much free disk space as is in use, and does
// nothing without. Of several members one does it at a time, and not the leader, as it executes nothing meanwhile: the lead
// goes to another one before. In a remote cluster it is left to its operator.
func (s *Store) Defragment(ctx context.Context) error {
	if err := s.begin(ctx); err != nil || s.member == nil {
		return err
	}
	now, err := s.Status(ctx)
	if err != nil {
		return err
	}
	if why := s.member.room(now.InUse); why != "" {
		return fmt.Errorf("%w: a defragmentation wants as much room as is in use: %s", store.ErrFull, why)
	}
	if len(roster(s.member.server)) > 1 {
		over, err := s.turn(ctx)
		if err != nil {
			return err
		}
		defer over()
		if err := s.Cluster().MoveLeader(ctx); err != nil {
			return err
		}
	}
	if err := s.member.server.Backend().Defrag(); err != nil { // the client of an in-process member does not support it
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	s.member.unmap() // it has been written, and opened anew
	return nil
}

// turn takes this member's turn; over ends it. The error is store.ErrUnavailable while another one has it.
func (s *Store) turn(ctx context.Context) (over func(), err error) {
	lease, err := s.Grant(ctx, turnTime)
	if err != nil {
		return nil, err
	}
	over = func() {
		ctx, cancel := context.WithTimeout(context.Background(), memberLimit)
		defer cancel()
		_ = s.Revoke(ctx, lease) // where it fails the lease ends by itself
	}
	got, err := s.Txn(ctx, store.Txn{
		If:   []store.Compare{store.Absent([]byte(turnKey))},
		Then: []store.Op{{Kind: store.OpPut, Key: []byte(turnKey), Lease: lease}},
	})
	if err == nil && !got.Succeeded {
		err = fmt.Errorf("%w: another member defragments its file now", store.ErrUnavailable)
	}
	if err != nil {
		over()
		return nil, err
	}
	return over, nil
}
