package client

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// maxAnswer bounds what is read of one answer, in bytes.
const maxAnswer = 256 << 20

// Config says where a server is and who asks.
type Config struct {
	// Address is HOST:PORT, or a URL with http or https.
	Address string
	// Token is sent with every request; empty for a server with --auth=none.
	Token string
	// TLS is used for https addresses; nil trusts what the system trusts.
	TLS *tls.Config
}

// Client calls one server. It is safe for many goroutines.
type Client struct {
	base    string // without a slash at the end
	token   string
	atLeast string
	http    *http.Client
}

// New makes a client; it does not connect yet. The error says what is wrong with the address.
func New(cfg Config) (*Client, error) {
	base := cfg.Address
	if !strings.Contains(base, "://") {
		base = "http://" + base
	}
	u, err := url.Parse(base)
	if at := strings.LastIndexByte(base, '@'); at >= 0 { // not shown: it may be a password
		return nil, fmt.Errorf("API address …%s: want HOST:PORT or a URL without a user, such as 127.0.0.1:8181 or https://weir.example:8181: the token is no part of it", base[at:])
	}
	if err != nil || base != cfg.Address && (u.Port() == "" || u.Path != "") || u.Host == "" ||
		u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" {
		return nil, fmt.Errorf(
			"API address %q: want HOST:PORT or a URL, such as 127.0.0.1:8181 or https://weir.example:8181", cfg.Address)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = cfg.TLS
	transport.DialContext = notifying(transport.DialContext)
	return &Client{base: strings.TrimSuffix(base, "/"), token: cfg.Token, http: &http.Client{Transport: transport}}, nil
}

// AtLeast returns a client whose reads wait until the server has seen a revision: one that a Page
// had.
func (c *Client) AtLeast(revision string) *Client {
	later := *c
	later.atLeast = revision
	return &later
}

// Close closes the connections that are idle.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Members returns the instances of the cluster.
func (c *Client) Members(ctx context.Context) (*Page[Member], error) {
	return list[Member](ctx, c, "/v1/members", nil)
}

// Apps returns the built-in applications.
func (c *Client) Apps(ctx context.Context) (*Page[App], error) {
	return list[App](ctx, c, "/v1/apps", nil)
}

// Switches returns all switches.
func (c *Client) Switches(ctx context.Context) (*Page[Switch], error) {
	return list[Switch](ctx, c, "/v1/switches", nil)
}

// Switch returns one switch; the error is a *Problem of status 404 if it is not known.
func (c *Client) Switch(ctx context.Context, dpid string) (*Switch, error) {
	return item[Switch](ctx, c, "/v1/switches/"+url.PathEscape(dpid))
}

// Ports returns a switch's ports with their counters, as it was last heard.
func (c *Client) Ports(ctx context.Context, dpid string) (*Page[PortCounters], error) {
	return list[PortCounters](ctx, c, "/v1/switches/"+url.PathEscape(dpid)+"/ports", nil)
}

// Tables returns a switch's flow tables with their counters, as it was last heard.
func (c *Client) Tables(ctx context.Context, dpid string) (*Page[TableCounters], error) {
	return list[TableCounters](ctx, c, "/v1/switches/"+url.PathEscape(dpid)+"/tables", nil)
}

// Counters returns a switch's sums over its flow entries and its ports.
func (c *Client) Counters(ctx context.Context, dpid string) (*SwitchCounters, error) {
	return item[SwitchCounters](ctx, c, "/v1/switches/"+url.PathEscape(dpid)+"/counters")
}

// Entries returns a switch's flow entries, as it answers now.
func (c *Client) Entries(ctx context.Context, dpid string) (*Page[FlowEntry], error) {
	return list[FlowEntry](ctx, c, "/v1/switches/"+url.PathEscape(dpid)+"/flows", nil)
}

// Links returns all links, one item for each direction.
func (c *Client) Links(ctx context.Context) (*Page[Link], error) {
	return list[Link](ctx, c, "/v1/links", nil)
}

// Hosts returns all hosts.
func (c *Client) Hosts(ctx context.Context) (*Page[Host], error) {
	return list[Host](ctx, c, "/v1/hosts", nil)
}

// Host returns one host, by its id: MAC or MAC/vlan.
func (c *Client) Host(ctx context.Context, id string) (*Host, error) {
	mac, vlan, tagged := strings.Cut(id, "/")
	path := "/v1/hosts/" + url.PathEscape(mac)
	if tagged {
		path += "/" + url.PathEscape(vlan)
	}
	return item[Host](ctx, c, path)
}

// Flows returns the rules that are wanted, of one switch or, if dpid is empty, of all.
func (c *Client) Flows(ctx context.Context, dpid string) (*Page[Flow], error) {
	query := url.Values{}
	if dpid != "" {
		query.Set("dpid", dpid)
	}
	return list[Flow](ctx, c, "/v1/flows", query)
}

// Paths returns at most k ways from one end to another (host ids or datapath ids), the one that the
// system takes first. Disjoint is "", "link" or "switch": what they must not share.
func (c *Client) Paths(ctx context.Context, src, dst string, k int, disjoint string) (*Page[Path], error) {
	query := url.Values{"src": {src}, "dst": {dst}, "k": {fmt.Sprint(k)}}
	if disjoint != "" {
		query.Set("disjoint", disjoint)
	}
	var p Page[Path]
	err := c.get(ctx, "/v1/paths", query, &p)
	return &p, err
}

// list reads all pages of a list. Its Continue is empty.
func list[T any](ctx context.Context, c *Client, path string, query url.Values) (*Page[T], error) {
	if query == nil {
		query = url.Values{}
	}
	all := Page[T]{Items: []T{}}
	for {
		var p Page[T]
		if err := c.get(ctx, path, query, &p); err != nil {
			return nil, err
		}
		all.Items, all.Revision = append(all.Items, p.Items...), p.Revision
		if p.Continue == "" {
			return &all, nil
		}
		query.Set("continue", p.Continue)
	}
}

func item[T any](ctx context.Context, c *Client, path string) (*T, error) {
	var v T
	if err := c.get(ctx, path, url.Values{}, &v); err != nil {
		return nil, err
	}
	return &v, nil
}

// get reads one answer into v.
func (c *Client) get(ctx context.Context, path string, query url.Values, v any) error {
	if c.atLeast != "" && !query.Has("continue") {
		query.Set("at_least", c.atLeast)
	}
	return c.exchange(ctx, http.MethodGet, path, query, nil, nil, v)
}

// exchange sends a request, once, and reads its answer into v, unless that is nil.
func (c *Client) exchange(ctx context.Context, method, path string, query url.Values, header http.Header, body io.Reader,
	v any) error {
	resp, err := c.send(ctx, method, path, query, header, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if v == nil {
		return nil
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(v); err != nil {
		return c.unread(err)
	}
	return nil
}

// send sends a request; the answer is one of status 2xx.
func (c *Client) send(ctx context.Context, method, path string, query url.Values, header http.Header,
	body io.Reader) (*http.Response, error) {
	address := c.base + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, err
	}
	for k, v := range header {
		req.Header[k] = v
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		var shorter *url.Error // it repeats the address
		if errors.As(err, &shorter) {
			err = shorter.Err
		}
		return nil, fmt.Errorf("%w from %s: %w", ErrUnreachable, c.base, err)
	}
	if resp.StatusCode/100 == 2 {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, problemOf(resp)
}

// problemOf reads why a request was refused, whatever the server is.
func problemOf(resp *http.Response) *Problem {
	p := &Problem{}
	b, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if json.Unmarshal(b, p) != nil || p.Title == "" {
		p.Title, p.Detail = http.StatusText(resp.StatusCode), ""
	}
	p.Status = resp.StatusCode
	return p
}
