package estate

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/fleet/clustersecret"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// Put implements api.Members.
func (c *Clusters) Put(ctx context.Context, u *auth.User, old *api.Member, want api.MemberWish) (*api.Member, error) {
	before, err := c.stored(ctx, old)
	if err != nil {
		return nil, err
	}
	s, err := c.fitting(before, &want)
	if err == nil {
		err = c.checkOthers(ctx, s, &want)
	}
	if err != nil {
		return nil, err
	}
	e := &audit.Entry{Resource: "clusters", Project: want.Project, Name: want.Server, Cluster: want.Name, Changes: changesOf(c.public(before, nil), c.public(s, before))}
	if err := c.put(ctx, u, e, "cluster "+want.Name, s); err != nil {
		return nil, err
	}
	out := c.memberOf(s)
	return &out, nil
}

// Remove implements api.Members.
func (c *Clusters) Remove(ctx context.Context, u *auth.User, old *api.Member) error {
	s, err := c.stored(ctx, old)
	if err != nil {
		return err
	}
	e := &audit.Entry{Resource: "clusters", Project: old.Project, Name: old.Server, Cluster: old.Name, Changes: changesOf(c.public(s, nil), map[string]any{})}
	return c.remove(ctx, u, e, "cluster "+old.Name, s)
}

// stored is the Secret of a cluster as it was when somebody's rights were
// asked; nil for none.
func (c *Clusters) stored(ctx context.Context, old *api.Member) (*corev1.Secret, error) {
	if old == nil {
		return nil, nil //nolint:nilnil // a cluster that is new
	}
	return c.secret(ctx, old.ID, old.Version, "cluster "+old.Name, clustersecret.IsCluster)
}

// fitting is the Secret that is wished for, unless a field does not fit.
func (c *Clusters) fitting(before *corev1.Secret, want *api.MemberWish) (*corev1.Secret, error) {
	unfit := &api.Unfit{}
	checkMember(want, unfit)
	s, err := c.wished(before, want)
	if err != nil {
		return nil, err
	}
	checkHub(before, s, want, unfit)
	checkBorrows(before, s, want, unfit)
	if before != nil {
		checkMemberMoved(before, s, want, unfit)
	}
	// What cannot be read is told with the rest, where the rest is not what it is about.
	if _, _, err := c.Parser.Parse(s); err != nil && !unfit.Has(fieldOf(err.Error())) {
		unfit.Add(fieldOf(err.Error()), err.Error())
	}
	return s, unfit.Err()
}

// wished is a Secret with the fields and secrets of a wish. What the API does
// not know of a config stays.
func (c *Clusters) wished(before *corev1.Secret, want *api.MemberWish) (*corev1.Secret, error) {
	s := before.DeepCopy()
	if s == nil {
		s = &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
			Namespace: c.Namespace, Name: clusterSecretName(want.Server), Annotations: map[string]string{managedByKey: managedByArgo},
			Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster},
		}}
	}
	s.ManagedFields = nil // the cache has a part of them, or none: they stay as they are
	if s.Data == nil {
		s.Data = map[string][]byte{}
	}
	s.Labels, s.Annotations = replaced(s.Labels, want.Labels), replaced(s.Annotations, want.Annotations)
	put(s, "name", want.Name)
	put(s, "server", want.Server)
	put(s, "project", want.Project)
	put(s, "namespaces", strings.Join(want.Namespaces, ","))
	put(s, "clusterResources", flagText(want.ClusterResources))
	text, err := json.Marshal(wishedConfig(configOf(before), want))
	if err != nil {
		return nil, fmt.Errorf("cannot encode the config of cluster %s: %w", want.Name, err)
	}
	s.Data["config"] = text
	return s, nil
}

// replaced has the metadata that is wished for, and the bookkeeping that there is.
func replaced(old, want map[string]string) map[string]string {
	out := map[string]string{}
	for name, value := range old {
		if bookkeeping[name] {
			out[name] = value
		}
	}
	maps.Copy(out, want)
	return out
}

func wishedConfig(out config, want *api.MemberWish) config {
	tls, s := out.below("tlsClientConfig"), &want.Secrets
	tls["insecure"] = want.Insecure
	tls.set("serverName", want.ServerName)
	tls.pem("caData", want.CA)
	out.set("username", want.Username)
	out.set("disableCompression", want.DisableCompression)
	for name, value := range map[string]*string{"password": s.Password, "bearerToken": s.BearerToken, "proxyUrl": s.Proxy} {
		if value != nil {
			out.set(name, *value)
		}
	}
	for name, value := range map[string]*string{"certData": s.Cert, "keyData": s.Key} {
		if value != nil {
			tls.pem(name, *value)
		}
	}
	delete(out, "awsAuthConfig")
	if want.AWS != nil {
		aws := out.below("awsAuthConfig")
		aws.set("clusterName", want.AWS.ClusterName)
		aws.set("roleARN", want.AWS.RoleARN)
		aws.set("profile", want.AWS.Profile)
	}
	if want.Command == "" {
		delete(out, "execProviderConfig")
		return out
	}
	exec := out.below("execProviderConfig")
	exec.set("command", want.Command)
	exec.set("apiVersion", want.CommandVersion)
	if s.Args != nil {
		exec["args"] = *s.Args
	}
	if s.Env != nil {
		exec["env"] = *s.Env
	}
	return out
}

// longestHost is how much of a host the name of a Secret has.
const longestHost = 200

// besideLetters is a dot with what stands around it, and what is in no name of an
// object: a part between two dots begins and ends with a letter or a digit there.
var besideLetters = regexp.MustCompile(`[^a-z0-9]*[^a-z0-9-][^a-z0-9]*`)

// clusterSecretName is what the Secret of a new cluster is called. It ends with more
// than Argo CD's, see secretName.
func clusterSecretName(server string) string {
	host := ""
	if u, err := url.Parse(server); err == nil {
		host = besideLetters.ReplaceAllStringFunc(strings.ToLower(u.Hostname()), func(between string) string {
			if between == "." {
				return between
			}
			return "-"
		})
	}
	host = strings.Trim(host[:min(len(host), longestHost)], "-.")
	return fmt.Sprintf("cluster-%s-%s", cmp.Or(host, "cluster"), digest(server))
}
