package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
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

// Apps returns the built-in applications.
func (c *Client) Apps(ctx context.Context) (*Page[App], error) {
	return list[App](ctx, c, "/v1/apps")
}

// Switches returns all switches.
func (c *Client) Switches(ctx context.Context) (*Page[Switch], error) {
	return list[Switch](ctx, c, "/v1/switches")
}

// Switch returns one switch; the error is a *Problem of status 404 if it is not known.
func (c *Client) Switch(ctx context.Context, dpid string) (*Switch, error) {
	return item[Switch](ctx, c, "/v1/switches/"+url.PathEscape(dpid))
}

// Ports returns a switch's ports with their counters, as it was last heard.
func (c *Client) Ports(ctx context.Context, dpid string) (*Page[PortCounters], error) {
	return list[PortCounters](ctx, c, "/v1/switches/"+url.PathEscape(dpid)+"/ports")
}

// Tables returns a switch's flow tables with their counters, as it was last heard.
func (c *Client) Tables(ctx context.Context, dpid string) (*Page[TableCounters], error) {
	return list[TableCounters](ctx, c, "/v1/switches/"+url.PathEscape(dpid)+"/tables")
}

// Counters returns a switch's sums over its flow entries and its ports.
func (c *Client) Counters(ctx context.Context, dpid string) (*SwitchCounters, error) {
	return item[SwitchCounters](ctx, c, "/v1/switches/"+url.PathEscape(dpid)+"/counters")
}

// Entries returns a switch's flow entries, as it answers now.
func (c *Client) Entries(ctx context.Context, dpid string) (*Page[FlowEntry], error) {
	return list[FlowEntry](ctx, c, "/v1/switches/"+url.PathEscape(dpid)+"/flows")
}

// Links returns all links, one item for each direction.
func (c *Client) Links(ctx context.Context) (*Page[Link], error) {
	return list[Link](ctx, c, "/v1/links")
}

// Hosts returns all hosts.
func (c *Client) Hosts(ctx context.Context) (*Page[Host], error) {
	return list[Host](ctx, c, "/v1/hosts")
}

// Host returns one host, by its id: MAC or MAC/vlan.
func (c *Client) Host(ctx context.Context, id string) (*Host, error) {
	return item[Host](ctx, c, hostPath(id))
}

func hostPath(id string) string {
	mac, vlan, tagged := strings.Cut(id, "/")
	path := "/v1/hosts/" + url.PathEscape(mac)
	if tagged {
		path += "/" + url.PathEscape(vlan)
	}
	return path
}

// Flows returns the rules that are wanted, of one switch or, if dpid is empty, of all.
func (c *Client) Flows(ctx context.Context, dpid string) (*Page[Flow], error) {
	return list[Flow](ctx, c, "/v1/flows", "dpid", dpid)
}

// Paths returns at most k ways from one end to another (host ids or datapath ids), the one that the
// system takes first. Disjoint is "", "link" or "switch": what they must not share.
func (c *Client) Paths(ctx context.Context, src, dst string, k int, disjoint string) (*Page[Path], error) {
	return item[Page[Path]](ctx, c, "/v1/paths", "src", src, "dst", dst, "k", fmt.Sprint(k), "disjoint", disjoint)
}

// queryOf returns the query of pairs of a name and a value, without those whose value is empty.
func queryOf(pairs ...string) url.Values {
	query := url.Values{}
	for pair := range slices.Chunk(pairs, 2) {
		if pair[1] != "" {
			query.Add(pair[0], pair[1])
		}
	}
	return query
}

// flag returns the value of a parameter that is given only where it is true.
func flag(set bool) string {
	if set {
		return "true"
	}
	return ""
}

// list reads all pages of a list, with a query of pairs (queryOf). Its Continue is empty.
func list[T any](ctx context.Context, c *Client, path string, pairs ...string) (*Page[T], error) {
	query := queryOf(pairs...)
	all := Page[T]{Items: []T{}}
	for {
		p, err := get[Page[T]](ctx, c, path, query)
		if err != nil {
			return nil, err
		}
		all.Items, all.Revision = append(all.Items, p.Items...), p.Revision
		if p.Continue == "" {
			return &all, nil
		}
		query.Set("continue", p.Continue)
	}
}

// item reads an answer of one page, with a query of pairs (queryOf).
func item[T any](ctx context.Context, c *Client, path string, pairs ...string) (*T, error) {
	return get[T](ctx, c, path, queryOf(pairs...))
}

func get[T any](ctx context.Context, c *Client, path string, query url.Values) (*T, error) {
	if c.atLeast != "" && !query.Has("continue") {
		query.Set("at_least", c.atLeast)
	}
	return exchange[T](ctx, c, http.MethodGet, path, query, nil, nil)
}

// exchange sends a request, once, and reads its answer.
func exchange[T any](ctx context.Context, c *Client, method, path string, query url.Values, header http.Header,
	body []byte) (*T, error) {
	resp, err := c.send(ctx, method, path, query, header, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	v := new(T)
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(v); err != nil {
		return nil, c.unread(err)
	}
	return v, nil
}

// remove sends a DELETE that is answered without a body.
func (c *Client) remove(ctx context.Context, path string, query url.Values, header http.Header) error {
	resp, err := c.send(ctx, http.MethodDelete, path, query, header, nil)
	if err != nil {
		return err
	}
	return resp.Body.Close()
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
