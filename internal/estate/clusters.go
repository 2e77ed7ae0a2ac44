package estate

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/fleet/clustersecret"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/session"
)

// Clusters are the Secrets that describe clusters.
type Clusters struct {
	*Writer

	Parser fleet.Parser
	// Tries bounds how often somebody may ask a cluster.
	Tries *session.Tries
	Now   func() time.Time
}

// credentialKeys are the fields of a config that are never read.
var credentialKeys = []string{"password", "bearerToken", "certData", "keyData", "args", "env", "proxyUrl"}

// bookkeeping are labels and annotations that are no metadata of a cluster.
var bookkeeping = map[string]bool{
	v1alpha1.LabelSecretType: true, v1alpha1.AnnotationTrackingID: true, v1alpha1.AnnotationRefresh: true, managedByKey: true,
	"kubectl.kubernetes.io/last-applied-configuration": true,
	// Whose the Secret is decides which of several counts, and who takes it away.
	causeway.LabelClusterSource: true, causeway.AnnotationFoundIn: true, gitops.AnnotationDeclaredBy: true, gitops.AnnotationDraining: true,
}

// All implements api.Members.
func (c *Clusters) All(ctx context.Context) ([]api.Member, error) {
	var list corev1.SecretList
	match := client.MatchingLabels{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}
	if err := c.Engine.List(ctx, &list, client.InNamespace(c.Namespace), match, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("cannot list the clusters: %w", err)
	}
	out := make([]api.Member, 0, len(list.Items))
	for i := range list.Items {
		out = append(out, c.memberOf(&list.Items[i]))
	}
	return out, nil
}

// memberOf reads what is no secret.
func (c *Clusters) memberOf(s *corev1.Secret) api.Member {
	d := clustersecret.Describe(s)
	conn, config := fleet.Connection{}, configOf(s)
	_ = json.Unmarshal(s.Data["config"], &conn) // what is wrong with it is told below
	out := api.Member{
		MemberFields: api.MemberFields{
			Name: d.Name, Server: d.Server, Project: d.Project, Labels: without(s.Labels), Annotations: without(s.Annotations),
			Namespaces: d.Namespaces, ClusterResources: d.ClusterResources, Username: conn.Username, Insecure: conn.TLS.Insecure,
			ServerName: conn.TLS.ServerName, CA: string(conn.TLS.CAData), DisableCompression: conn.DisableCompression,
		},
		ID: s.Name, Version: s.ResourceVersion, ManagedBy: api.ManagedBy(s), Credentials: []string{}, Can: []string{},
	}
	if conn.AWS != nil {
		out.AWS = &api.MemberAWS{ClusterName: conn.AWS.ClusterName, RoleARN: conn.AWS.RoleARN, Profile: conn.AWS.Profile}
	}
	if conn.Exec != nil {
		out.Command, out.CommandVersion = conn.Exec.Command, conn.Exec.APIVersion
	}
	secrets := config.secrets()
	for _, key := range credentialKeys {
		if len(secrets[key]) > 0 {
			out.Credentials = append(out.Credentials, key)
		}
	}
	if _, _, err := c.Parser.Parse(s); err != nil {
		out.Problem = err.Error()
	} else if d.Misnamed() {
		out.Problem = gitops.WithHub(d).String()
	}
	return out
}

// without leaves bookkeeping out.
func without(all map[string]string) map[string]string {
	out := maps.Clone(all)
	maps.DeleteFunc(out, func(name, _ string) bool { return bookkeeping[name] })
	return out
}

// config is the JSON of a cluster Secret, with what the product does not know.
type config map[string]any

func configOf(s *corev1.Secret) config {
	out := config{}
	if s == nil || json.Unmarshal(s.Data["config"], &out) != nil || out == nil {
		return config{}
	}
	asRead(out, reflect.TypeFor[fleet.Connection]())
	return out
}

// asRead gives fields the names by which the engine reads them, which it does in any
// case: a credential under another spelling is one, too.
func asRead(fields map[string]any, as reflect.Type) {
	for i := range as.NumField() {
		field := as.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		for found, value := range fields {
			if found != name && strings.EqualFold(found, name) {
				delete(fields, found)
				fields[name] = value
			}
		}
		of := field.Type
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		if below, is := fields[name].(map[string]any); is && of.Kind() == reflect.Struct {
			asRead(below, of)
		}
	}
}

// below is an object in it, which is made where there is none.
func (c config) below(name string) config {
	found, ok := c[name].(map[string]any)
	if !ok {
		found = map[string]any{}
	}
	c[name] = found
	return found
}

// set writes a value; what is empty is taken away.
func (c config) set(name string, value any) {
	if value == "" || value == false || value == nil {
		delete(c, name)
		return
	}
	c[name] = value
}

// pem writes a text as base64, as JSON has bytes.
func (c config) pem(name, text string) {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	c.set(name, base64.StdEncoding.EncodeToString([]byte(text)))
}

// secrets are the texts that are never read, by the names that they have in the API.
func (c config) secrets() map[string][]byte {
	out := map[string][]byte{}
	tls, _ := c["tlsClientConfig"].(map[string]any)
	exec, _ := c["execProviderConfig"].(map[string]any)
	for name, in := range map[string]map[string]any{
		"password": c, "bearerToken": c, "proxyUrl": c, "certData": tls, "keyData": tls, "args": exec, "env": exec,
	} {
		switch value := in[name].(type) {
		case nil:
		case string:
			out[name] = []byte(value)
		default:
			out[name], _ = json.Marshal(value) //nolint:errchkjson // it was read from JSON
		}
	}
	return out
}

// public is what the audit is told of a Secret; before is what it was.
func (c *Clusters) public(s, before *corev1.Secret) map[string]any {
	if s == nil {
		return map[string]any{}
	}
	m := c.memberOf(s)
	return secretly(plain(m.MemberFields), credentialKeys, configOf(s).secrets(), configOf(before).secrets())
}
