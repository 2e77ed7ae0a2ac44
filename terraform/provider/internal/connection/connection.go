package connection

import (
	"context"
	"errors"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

// DefaultNamespace is the control namespace when none is named.
const DefaultNamespace = "argocd"

// unknownNamespace stands for one that is not known yet: no name has a space.
const unknownNamespace = "not known"

var rootNamespace = path.Root("namespace")

// ErrUnknown says that the hub cannot be reached yet.
var ErrUnknown = errors.New("the provider's settings depend on something that is not made yet")

// Connection is a way to the hub, opened when it is first used.
type Connection struct {
	settings  Settings
	namespace string
	unknown   bool
	walk      walk

	mu     sync.Mutex
	opened *object.Client
}

// Known reports whether requests can be made.
func (c *Connection) Known() bool { return !c.unknown }

// Namespace is the control namespace, and whether it is known.
func (c *Connection) Namespace() (name string, known bool) {
	switch c.namespace {
	case unknownNamespace:
		return "", false
	case "":
		return DefaultNamespace, true
	}
	return c.namespace, true
}

// Open returns a client of the hub. A failure is tried again the next time: a
// kubeconfig may be written by the same apply.
func (c *Connection) Open(ctx context.Context) (*object.Client, error) {
	if c.unknown {
		return nil, ErrUnknown
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.opened != nil {
		return c.opened, nil
	}
	config, err := c.rest(ctx)
	if err != nil {
		return nil, err
	}
	client, err := object.Open(config)
	if err != nil {
		return nil, err
	}
	c.opened = client
	return client, nil
}

// ForData opens the hub for a data source, which has nothing to show while the
// hub is not known.
func (c *Connection) ForData(ctx context.Context, d *diag.Diagnostics) *object.Client {
	client, err := c.Open(ctx)
	switch {
	case errors.Is(err, ErrUnknown):
		d.AddError("The cluster is not known yet", "This is read in the plan, and "+err.Error()+". With depends_on it is read during the apply.")
		return nil
	case err != nil:
		d.AddError("The cluster cannot be reached", err.Error())
		return nil
	}
	return client
}

// NamespaceOr is the given namespace, or else the control namespace.
func (c *Connection) NamespaceOr(given string) string {
	if given != "" {
		return given
	}
	name, known := c.Namespace()
	if !known {
		return DefaultNamespace
	}
	return name
}

func errText(all diag.Diagnostics) error {
	var out []error
	for _, d := range all.Errors() {
		out = append(out, errors.New(d.Summary()+": "+d.Detail()))
	}
	return errors.Join(out...)
}
