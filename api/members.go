package api

import (
	"context"
	"net/http"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/api/revision"
)

// Roster are the members of the cluster, as far as they can be changed. Errors are *rest.Refusal, or the store's.
type Roster interface {
	// Add registers a member by the address of its peer port, HOST:PORT. It counts for nothing before it has begun.
	Add(ctx context.Context, peer string) (client.Member, error)
	// Remove removes a member by its name, or, before it has begun, by the address of its peer port.
	Remove(ctx context.Context, name string) error
}

// members are the routes that read the instances of the cluster, and add and remove some.
type members struct {
	*reader
	get    func() []client.Member
	roster Roster // nil: the store is elsewhere, or can have no other members
}

func (s *members) routes() []rest.Route {
	has := s.roster != nil
	lacking := rest.Refuse(http.StatusNotFound, "this instance's store has no members that can be changed: it is elsewhere "+
		"(--store), or has no peer port (--peer)")
	return []rest.Route{
		{Method: "GET", Path: membersPath, ID: "members", Handler: rest.Typed(s.all), Instance: true,
			Summary: "The instances of the cluster"},
		{Method: "POST", Path: membersPath, ID: "add-member", Role: rest.RoleAdmin, Handler: rest.Provided(has, lacking, s.add),
			Status: http.StatusCreated, Summary: "Add a member before it begins",
			Description: "It has no vote and counts for nothing before it has begun (weir node --join) and learned what the " +
				"others know. An instance that joins need not be added before."},
		{Method: "DELETE", Path: membersPath + "/{id}", ID: "remove-member", Role: rest.RoleAdmin,
			Handler: rest.Provided(has, lacking, s.remove), Status: http.StatusNoContent, Summary: "Remove a member",
			Description: "By its name, or, before it has begun, its peer address. Its instance ends when it learns of that. It is " +
				"refused (503) if of those that are left too few would be alive, and (409) of the instance that decides."},
	}
}

type addMemberInput struct{ Body client.MemberRequest }

type memberAnswer struct{ Body client.Member }

type memberInput struct {
	ID string `path:"id" maxLength:"255" doc:"The member's name, or its peer address if it has not begun."`
}

func (s *members) all(ctx context.Context, in *listInput) (*revision.Page[client.Member], error) {
	return list(ctx, s.reader, in.Paging, "members", withoutSnapshot(s.get), as[client.Member])
}

func (s *members) add(ctx context.Context, in *addMemberInput) (*memberAnswer, error) {
	c := rest.ChangeOf(ctx)
	c.Object, c.Detail = "member "+in.Body.Peer, "added"
	m, err := s.roster.Add(ctx, in.Body.Peer)
	if err != nil {
		return nil, refusedOrStores(err)
	}
	return &memberAnswer{m}, nil
}

func (s *members) remove(ctx context.Context, in *memberInput) (*struct{}, error) {
	c := rest.ChangeOf(ctx)
	c.Object, c.Detail = "member "+in.ID, "removed"
	return nil, refusedOrStores(s.roster.Remove(ctx, in.ID))
}
