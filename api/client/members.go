package client

import (
	"context"
	"net/http"
	"net/url"
)

const membersPath = "/v1/members"

// Members returns the instances of the cluster.
func (c *Client) Members(ctx context.Context) (*Page[Member], error) {
	return list[Member](ctx, c, membersPath)
}

// AddMember registers a member by the address of its peer port, before it begins.
func (c *Client) AddMember(ctx context.Context, peer string) (*Member, error) {
	return post[Member](ctx, c, http.MethodPost, membersPath, MemberRequest{Peer: peer}, CreateOptions{})
}

// RemoveMember removes a member by its name, or, before it has begun, by the address of its peer port.
func (c *Client) RemoveMember(ctx context.Context, name string) error {
	return c.remove(ctx, membersPath+"/"+url.PathEscape(name), nil, nil)
}
