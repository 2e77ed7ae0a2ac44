package why

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/cli/secrets"
)

// TestSecretLines: what a Secret is made of, and why it is as it is.
func TestSecretLines(t *testing.T) {
	hour, day, soon := clitest.Noon.Add(-time.Hour), clitest.Noon.Add(-24*time.Hour), clitest.Noon.Add(time.Minute)
	exists, gone := true, false
	made := func(change func(*secrets.Secret)) secrets.Secret {
		s := secrets.Secret{
			Cluster: "prod", Namespace: "shop", ExternalSecret: "db", Kind: "Secret", Name: "db", Exists: &exists, Policy: "Owner", Created: &day,
			State: secrets.State{Ready: true, Reason: "SecretSynced", Since: &day}, Refresh: secrets.Refresh{Last: &hour, Next: &soon, When: "Periodic"},
			Store: secrets.Store{Kind: "SecretStore", Name: "vault", Provider: "vault", Address: "https://vault.example.com"},
			Keys:  []secrets.Key{{Key: "url", Entry: "shop/db", Property: "url", Version: "3"}},
		}
		change(&s)
		return s
	}
	for name, c := range map[string]struct {
		reason string
		secret secrets.Secret
		want   string
	}{
		"Ready": {
			"all that is known, and who decides about restarts",
			made(func(s *secrets.Secret) {
				s.Application, s.Template, s.Changed = "shop", true, &hour
				s.UsedBy = []secrets.Workload{{Kind: "Deployment", Name: "web", By: []string{"env", "volume"}, Restart: "true", RestartBy: "SecretStore/vault"}, {Kind: "Job", Name: "once", By: []string{"envFrom"}}}
			}),
			`Secret shop/db of cluster prod: Ready
  made by ExternalSecret shop/db, creationPolicy Owner, of application shop
  store SecretStore/vault (vault at https://vault.example.com)
    url: entry shop/db, property url, version 3
  what is read goes through spec.target.template
  values changed 60m ago (2026-01-01T11:00:00Z)
  fetched 60m ago (2026-01-01T11:00:00Z); next in 60s
  used by Deployment/web (env, volume), restarted when values change, as SecretStore/vault says
  used by Job/once (envFrom), not restarted when values change
`,
		},
		"Lease": {
			"values that end, and when others are made",
			made(func(s *secrets.Secret) {
				s.When, s.Next = "CreatedOnce", nil
				s.Leases = []secrets.Lease{{Generator: "VaultDynamicSecret/db", Ends: hour.Add(90 * time.Minute), Renewed: hour, Next: hour.Add(80 * time.Minute)}}
			}),
			`Secret shop/db of cluster prod: Ready
  made by ExternalSecret shop/db, creationPolicy Owner
  store SecretStore/vault (vault at https://vault.example.com)
    url: entry shop/db, property url, version 3
  the Secret was created 24h ago (2025-12-31T12:00:00Z)
  the lease of VaultDynamicSecret/db ends in 30m (2026-01-01T12:30:00Z), was renewed 60m ago, and is renewed in 20m
  fetched 60m ago (2026-01-01T11:00:00Z), and again when the lease cannot be renewed any more
  no workload of the namespace uses it
`,
		},
		"Stale": {
			"since when, and the last error",
			made(func(s *secrets.Secret) {
				s.State = secrets.State{Reason: "SecretSyncedError", Message: "cannot read: 403", Since: &hour}
				s.Last = &day
			}),
			`Secret shop/db of cluster prod: Stale 24h
  made by ExternalSecret shop/db, creationPolicy Owner
  store SecretStore/vault (vault at https://vault.example.com)
    url: entry shop/db, property url, version 3
  the Secret was created 24h ago (2025-12-31T12:00:00Z)
  stale: values were fetched 24h ago (2025-12-31T12:00:00Z), and are tried again by themselves
  since 2026-01-01T11:00:00Z: SecretSyncedError: cannot read: 403
  no workload of the namespace uses it
`,
		},
		"Pending": {
			"nobody reconciles it",
			made(func(s *secrets.Secret) {
				s.State, s.Refresh, s.Created = secrets.State{Reason: "Pending"}, secrets.Refresh{When: "Periodic"}, nil
				s.Store = secrets.Store{Kind: "SecretStore", Name: "gone", Problem: "does not exist"}
			}),
			`Secret shop/db of cluster prod: Pending
  made by ExternalSecret shop/db, creationPolicy Owner
  store SecretStore/gone (does not exist)
    url: entry shop/db, property url, version 3
  nobody has looked at the ExternalSecret yet: is the engine switched on for it (--secrets), or its operator there?
  no workload of the namespace uses it
`,
		},
		"Missing": {
			"it was made, and somebody looked for it",
			made(func(s *secrets.Secret) { s.Exists, s.Created = &gone, nil }),
			`Secret shop/db of cluster prod: Missing
  made by ExternalSecret shop/db, creationPolicy Owner
  store SecretStore/vault (vault at https://vault.example.com)
    url: entry shop/db, property url, version 3
  the Secret is not there, although it was made
  fetched 60m ago (2026-01-01T11:00:00Z); next in 60s
  no workload of the namespace uses it
`,
		},
		"Unread": {
			"nobody could look whether it is there, so nothing is said of that",
			made(func(s *secrets.Secret) { s.Exists, s.Created = nil, nil }),
			`Secret shop/db of cluster prod: Ready
  made by ExternalSecret shop/db, creationPolicy Owner
  store SecretStore/vault (vault at https://vault.example.com)
    url: entry shop/db, property url, version 3
  fetched 60m ago (2026-01-01T11:00:00Z); next in 60s
  no workload of the namespace uses it
`,
		},
		"Foreign": {
			"whose it is, and that no ExternalSecret makes it",
			secrets.Secret{Cluster: "prod", Namespace: "shop", Kind: "Secret", Name: "tls", Owners: []string{"Certificate/web"}, Writers: []string{"cert-manager"}, Created: &day},
			`Secret shop/tls of cluster prod is made by no ExternalSecret
  owned by Certificate/web
  written by cert-manager
  created 24h ago (2025-12-31T12:00:00Z)
  no workload of the namespace uses it
`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(secretLines([]secrets.Secret{c.secret}, live.Plain(), clitest.Noon), "\n") + "\n"
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s: %s", c.reason, diff)
			}
		})
	}
}

// TestTheOneSecret: nothing is guessed where a name is that of several, or of none.
func TestTheOneSecret(t *testing.T) {
	at := func(cluster, namespace, maker string) secrets.Secret {
		return secrets.Secret{Cluster: cluster, Namespace: namespace, ExternalSecret: maker, Kind: "Secret", Name: "db"}
	}
	for name, c := range map[string]struct {
		found secrets.Found
		want  string
	}{
		"One":     {secrets.Found{Answered: 1, Secrets: []secrets.Secret{at("prod", "shop", "a"), at("prod", "shop", "b")}}, ""},
		"Several": {secrets.Found{Answered: 2, Secrets: []secrets.Secret{at("prod", "shop", "a"), at("dev", "shop", "a")}}, "secret/db may be shop/db of cluster prod, shop/db of cluster dev: name one with --cluster and --secret-namespace"},
		"None":    {secrets.Found{Answered: 1, Known: []string{"dbs", "tls"}}, `there is no Secret "db" in namespace shop, and no ExternalSecret makes one; did you mean "dbs"?`},
		"Away":    {secrets.Found{}, "no cluster answers"},
	} {
		t.Run(name, func(t *testing.T) {
			err := theOne(&c.found, secrets.Where{Namespace: "shop"}, "db")
			if got := text(err); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestSecretIsRefused: what cannot be meant, and what no server is asked.
func TestSecretIsRefused(t *testing.T) {
	clitest.Refuses(t, New, map[string]string{
		"secret/db":                           "where a Secret comes from is not asked of a server",
		"secret/a/b/c":                        "is no name of a Secret: write NAME, or NAMESPACE/NAME",
		"secret/":                             "names no Secret",
		"secret/shop/db --secret-namespace x": "are two namespaces",
		"shop --cluster prod":                 "--cluster is for Secrets",
		"secret/db --cluster _":               "--cluster has no value",
	})
	clitest.Run(t, New, "secret/db", "-o", "nothing").Says(t, "a way to print", command.ExitUsage, "cannot print as")
}
