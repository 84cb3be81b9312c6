package api

import (
	"context"
	"net/http"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/netview"
)

// maxWideListed is how many intents that take packets of others are listed.
const maxWideListed = 100

// compare has all switches compared with what is wanted of them.
func (s *Server) compare(ctx context.Context, _ *struct{}) (*singleAnswer[client.Check], error) {
	c, at, err := s.cfg.Check(ctx)
	if err != nil {
		return nil, refuse(http.StatusServiceUnavailable, "%v", err)
	}
	c.Revision, c.Intents = s.run.text(position{revision: at}), s.intentStates()
	if s.cfg.Intents != nil {
		if count, ids := s.cfg.Intents.Wide(maxWideListed); count > 0 {
			c.Wide = &client.WideIntents{Count: count, IDs: ids}
		}
	}
	return &singleAnswer[client.Check]{c.Revision, *c}, nil
}

// syncOf returns how well a switch agrees with what is desired of it, nil if that is not known.
func (s *Server) syncOf(dpid netview.DPID) *client.Sync {
	if s.cfg.Sync == nil {
		return nil
	}
	sync, at := s.cfg.Sync(dpid)
	if sync != nil {
		sync.Revision = s.run.text(position{revision: at})
	}
	return sync
}
