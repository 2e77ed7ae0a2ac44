package serve

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/kubernetes"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth/oidc"
	"github.com/causeway-gitops/causeway/internal/auth/origin"
	"github.com/causeway-gitops/causeway/internal/auth/rbac"
	"github.com/causeway-gitops/causeway/internal/auth/token"
	"github.com/causeway-gitops/causeway/internal/follow"
	"github.com/causeway-gitops/causeway/internal/serve/secrets"
	"github.com/causeway-gitops/causeway/internal/server/cursor"
	"github.com/causeway-gitops/causeway/internal/server/rights"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/trail"
)

// entrance says who asks, and what they may.
type entrance struct {
	gate     *session.Gate
	desk     *session.Desk
	rights   *rights.Rights
	keys     *secrets.Keyring
	accounts *secrets.Accounts
	cursors  *cursor.Cursors
	// follow follows the policy, and the key of sessions.
	follow []func(context.Context)
}

// hubClients ask the hub's API server as the engine.
type hubClients struct {
	client.WithWatch
	*kubernetes.Clientset
}

func newHubClients(o *Options) (*hubClients, error) {
	c, err := client.NewWithWatch(o.Hub, client.Options{Scheme: o.Client.Scheme()})
	if err != nil {
		return nil, fmt.Errorf("cannot reach the hub: %w", err)
	}
	clients, err := kubernetes.NewForConfig(o.Hub)
	if err != nil {
		return nil, fmt.Errorf("cannot reach the hub: %w", err)
	}
	return &hubClients{c, clients}, nil
}

func enter(ctx context.Context, o *Options, trail *trail.Trail, known *origin.Known) (*entrance, error) {
	hub, err := newHubClients(o)
	if err != nil {
		return nil, err
	}
	signed, err := keysOf(ctx, hub, o.Namespace)
	if err != nil {
		return nil, err
	}
	projects := &projectList{reader: o.Client, namespace: o.Namespace}
	reviews := rights.NewReviews(hub.AuthorizationV1().SubjectAccessReviews(), o.Namespace, o.Log)
	r := rights.New(rights.Options{
		Namespace: o.Namespace,
		Settings:  o.Settings,
		Projects:  projects,
		Log:       o.Log,
		Reviews:   reviews.BelieveFor(o.RightsFor),
	})
	follow, err := readPolicy(ctx, o, hub, r)
	if err != nil {
		return nil, err
	}
	accounts := secrets.NewAccounts(secrets.AccountsOptions{
		Reader:    hub.WithWatch,
		Namespace: o.Namespace,
		Settings:  o.Settings,
		Projects:  projects,
		First:     o.At.First,
	})
	gate := gateOf(o, hub, signed.signer, accounts, r, known)
	_, _ = gate.Issuers.Current(ctx) // what is wrong with it is in the log from the beginning
	kept := hub.CoreV1().Secrets(o.Namespace)
	keys := secrets.NewKeyring(kept, issuerOf(gate), trail, o.Log)
	ended := secrets.NewEndings(kept, o.Log)
	gate.Keys, gate.Endings = keys, ended
	signing := secrets.NewSigning(hub.WithWatch, o.Namespace, o.Log, signed.key, signed.signer.Rekey, signed.vault.Rekey, signed.cursors.Rekey)
	return &entrance{
		gate:     gate,
		desk:     session.NewDesk(gate, signed.vault, trail, o.Log),
		rights:   r,
		keys:     keys,
		accounts: accounts,
		cursors:  signed.cursors,
		follow:   append(signing.Follow(kept, accounts.Forget), follow, keys.Follow, keys.Note, ended.Follow),
	}, nil
}

// signed is what goes by the key of sessions.
type signed struct {
	key     []byte
	signer  *token.Signer
	vault   *oidc.Vault
	cursors *cursor.Cursors
}

// keysOf reads the key of sessions, and makes what goes by it.
func keysOf(ctx context.Context, hub client.Client, namespace string) (*signed, error) {
	key, err := secrets.SessionKey(ctx, hub, namespace)
	if err != nil {
		return nil, err
	}
	signer, err := token.New(key, time.Now)
	if err != nil {
		return nil, err
	}
	vault, err := oidc.NewVault(key, time.Now)
	if err != nil {
		return nil, err
	}
	cursors, err := cursor.New(key)
	if err != nil {
		return nil, err
	}
	return &signed{key: key, signer: signer, vault: vault, cursors: cursors}, nil
}

// gateOf knows who asks by accounts, issuers and Kubernetes; of keys and of sessions
// that have ended it is told later.
func gateOf(o *Options, hub *hubClients, signer *token.Signer, accounts *secrets.Accounts, r *rights.Rights, known *origin.Known) *session.Gate {
	return &session.Gate{
		Signer:     signer,
		Accounts:   accounts,
		Life:       (&sessionLife{settings: o.Settings, log: o.Log}).now,
		Kubernetes: newReviewer(hub.AuthenticationV1().TokenReviews(), time.Now, known),
		Known:      known,
		Issuers: &issuers{
			secrets:   hub.WithWatch,
			namespace: o.Namespace,
			settings:  o.Settings,
			policy:    r.Policy,
			now:       time.Now,
			log:       o.Log,
			known:     known,
		},
	}
}

// issuerOf tells who vouches for people now; empty for nobody.
func issuerOf(g *session.Gate) func(context.Context) string {
	return func(ctx context.Context) string {
		issuer, err := g.Issuers.Current(ctx)
		if err != nil || issuer == nil {
			return ""
		}
		return issuer.Config.Issuer
	}
}

// followProjects forgets what people may see when a project changes: its roles
// give rights.
func followProjects(ctx context.Context, c cache.Informers, changes ...func()) error {
	informer, err := c.GetInformer(ctx, &v1alpha1.AppProject{})
	if err != nil {
		return fmt.Errorf("cannot follow projects: %w", err)
	}
	changed := func() {
		for _, f := range changes {
			f()
		}
	}
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { changed() },
		UpdateFunc: func(any, any) { changed() },
		DeleteFunc: func(any) { changed() },
	})
	return err
}

// readPolicy reads the policy; what comes back follows it. One that cannot be
// read at the start leaves the built-in roles alone.
func readPolicy(ctx context.Context, o *Options, c client.WithWatch, r *rights.Rights) (func(context.Context), error) {
	data, err := follow.Read(ctx, c, o.Namespace, rbac.ConfigMap)
	if err != nil {
		return nil, fmt.Errorf("cannot read the policy of ConfigMap %s: %w", rbac.ConfigMap, err)
	}
	if !r.Put(data) && !r.Put(nil) {
		return nil, errors.New("the built-in policy cannot be read")
	}
	f := follow.ConfigMap{
		Namespace: o.Namespace, Name: rbac.ConfigMap, Put: r.Put, Changed: func() {},
		Failed: func(err error) { o.Log.WarnContext(ctx, "the policy stays as it is", "error", err) },
	}
	return func(ctx context.Context) { f.Follow(ctx, c) }, nil
}
