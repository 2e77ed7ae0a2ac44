package fleet

import (
	"fmt"

	"k8s.io/client-go/rest"
)

// maxActing bounds the users whose clients a cluster keeps; one costs a few
// kilobytes.
const maxActing = 1000

// REST speaks JSON to the whole API by absolute paths.
func (c *Cluster) REST() rest.Interface { return c.raw }

// RESTAs is REST as another user. It goes with the cluster: a connection that a
// Secret has no longer is kept by nobody.
func (c *Cluster) RESTAs(user string) (rest.Interface, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if client := c.acting[user]; client != nil {
		return client, nil
	}
	cfg := c.RESTConfig()
	cfg.Impersonate.UserName = user
	client, err := clientFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("cannot connect to cluster %s: %w", c.Desc().Name, err)
	}
	if c.acting == nil || len(c.acting) >= maxActing {
		c.acting = map[string]rest.Interface{}
	}
	c.acting[user] = client
	return client, nil
}

func clientFor(cfg *rest.Config) (rest.Interface, error) {
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, err
	}
	return rawClient(cfg, client)
}
