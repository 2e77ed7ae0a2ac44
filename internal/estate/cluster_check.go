package estate

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/fleet/clustersecret"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// checkMember looks at what a wish says, whatever is stored.
func checkMember(want *api.MemberWish, unfit *api.Unfit) {
	checkServer(want.Server, unfit)
	if strings.ContainsAny(want.Name, "\r\n\x00") || strings.TrimSpace(want.Name) != want.Name {
		unfit.Add("name", "leave out line breaks, and spaces around it")
	}
	if want.Name == gitops.HubName && !gitops.ReachesHub(want.Server) {
		unfit.Add("name", "it is the hub's, and the address is not: take another name")
	}
	if want.CA != "" && !x509.NewCertPool().AppendCertsFromPEM([]byte(want.CA)) {
		unfit.Add("ca", "it is no certificate in PEM form")
	}
	if want.CA != "" && want.Insecure {
		unfit.Add("ca", "leave it out where the certificate is not checked, or check it")
	}
	for _, n := range want.Namespaces {
		if errs := validation.IsDNS1123Label(n); len(errs) > 0 {
			unfit.Add("namespaces", n+" is no name of a namespace")
		}
	}
	checkMetadata(want, unfit)
}

// checkBorrows refuses to who describes a cluster of one project what would use
// the engine's own rights, as a ClusterSource does: a right on the clusters of a
// project is none on the engine. What an operator's Secret has stays as it is.
func checkBorrows(before, after *corev1.Secret, want *api.MemberWish, unfit *api.Unfit) {
	conn, readable := connectionOf(after)
	if want.Project == "" || !readable {
		return // what cannot be read is refused where it is parsed
	}
	kept := before != nil && string(before.Data["project"]) == want.Project && !memberMoved(before, after)
	if err := conn.Borrows(); err != nil && !kept {
		field := "command"
		if conn.Exec == nil {
			field = "aws.clusterName"
		}
		unfit.Add(field, fmt.Sprintf("cluster %s is of project %s alone, and %v", want.Name, want.Project, err))
	}
}

// checkServer looks at the address of a cluster.
func checkServer(server string, unfit *api.Unfit) {
	if err := gitops.OneServer(server); err != nil {
		unfit.Add("server", err.Error())
		return
	}
	u, err := url.Parse(server)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		unfit.Add("server", "begin it with https://")
	case u.User != nil:
		unfit.Add("server", "leave out the user: credentials have fields of their own")
	}
}

// checkMemberMoved asks for credentials once more that would go to another
// place than they were stored for, or to another program: who may change either
// may not read them. A program's arguments and variables say together where it
// sends them, so none of both is kept beside a new one.
func checkMemberMoved(before, after *corev1.Secret, want *api.MemberWish, unfit *api.Unfit) {
	if !memberMoved(before, after) {
		return
	}
	old, s := configOf(before).secrets(), &want.Secrets
	given := map[string]bool{
		"password": s.Password != nil, "bearerToken": s.BearerToken != nil, "keyData": s.Key != nil, "certData": true, "args": s.Args != nil || want.Command == "",
		"env": s.Env != nil || want.Command == "", "proxyUrl": s.Proxy != nil,
	}
	for _, key := range credentialKeys {
		if len(old[key]) > 0 && !given[key] {
			unfit.Add("secrets."+key, movedText(key))
		}
	}
}

func movedText(key string) string {
	if key == "args" || key == "env" {
		return "enter arguments and variables of the program again, both together, or take them away: what is stored was given for another program, address or way to it"
	}
	return "enter it again, or take it away: what is stored was given for another address, program or way to it"
}

// memberMoved reports whether credentials would go elsewhere, to another program
// or to one that is told otherwise, or be checked less.
func memberMoved(before, after *corev1.Secret) bool {
	old, now := configOf(before), configOf(after)
	oldTLS, nowTLS := old.below("tlsClientConfig"), now.below("tlsClientConfig")
	oldExec, nowExec := old.below("execProviderConfig"), now.below("execProviderConfig")
	oldSecrets, nowSecrets := old.secrets(), now.secrets()
	return string(before.Data["server"]) != string(after.Data["server"]) ||
		nowTLS["insecure"] == true && oldTLS["insecure"] != true || differ(oldTLS, nowTLS, "caData", "serverName") ||
		differ(oldExec, nowExec, "command", "apiVersion") || differ(old, now, "awsAuthConfig", "proxyUrl") ||
		!bytes.Equal(oldSecrets["args"], nowSecrets["args"]) || !bytes.Equal(oldSecrets["env"], nowSecrets["env"])
}

func differ(old, now config, keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return !reflect.DeepEqual(old[key], now[key]) })
}

// checkHub keeps the hub out of projects: without credentials it is reached by
// the engine's own rights, and who may add a cluster to a project may not give
// those to it. What an operator's Secret says so may be written back.
func checkHub(before, after *corev1.Secret, want *api.MemberWish, unfit *api.Unfit) {
	if want.Project == "" || !gitops.ReachesHub(want.Server) || saidSo(before, after) {
		return
	}
	unfit.Add("server", "it is the hub's own address, which may not belong to a project here: leave out the project, or have an operator write the cluster Secret")
}

// saidSo reports whether a Secret gives the hub to the same project, and as much
// of the engine's rights, as another one does.
func saidSo(before, after *corev1.Secret) bool {
	if before == nil {
		return false
	}
	old, now := clustersecret.Describe(before), clustersecret.Describe(after)
	return old.Project == now.Project && gitops.SameServer(old.Server, now.Server) && signsIn(before) == signsIn(after)
}

// signsIn reports whether the Secret of a cluster has credentials, or what may
// be some, so that it does not use the engine's.
func signsIn(s *corev1.Secret) bool {
	conn, readable := connectionOf(s)
	return len(s.Data["config"]) > 0 && (!readable || conn.HasCredentials())
}

// connectionOf is how the Secret of a cluster says that it is reached.
func connectionOf(s *corev1.Secret) (conn fleet.Connection, readable bool) {
	err := json.Unmarshal(s.Data["config"], &conn)
	return conn, err == nil
}

// fieldOf finds the field that an error of a cluster Secret is about.
func fieldOf(text string) string {
	for _, known := range [][2]string{
		{"execProviderConfig", "command"}, {"awsAuthConfig", "aws.clusterName"}, {"proxyUrl", "secrets.proxyUrl"}, {"caData", "ca"}, {"certData", "secrets.certData"},
		{"bearerToken", "secrets.bearerToken"}, {"data.server", "server"},
	} {
		if strings.Contains(text, known[0]) {
			return known[1]
		}
	}
	return ""
}

// checkOthers looks for a cluster of the same name or address, which is an
// *api.Taken, and for the project.
func (c *Clusters) checkOthers(ctx context.Context, s *corev1.Secret, want *api.MemberWish) error {
	unfit, taken := &api.Unfit{}, &api.Taken{}
	all, err := c.All(ctx)
	if err != nil {
		return err
	}
	for i := range all {
		switch m := &all[i]; {
		case m.ID == s.Name && s.UID != "":
		case m.Name == want.Name, gitops.SameServer(m.Server, want.Server):
			taken.By = append(taken.By, api.TakenBy{MemberFields: m.MemberFields, Name: m.Name == want.Name, Server: gitops.SameServer(m.Server, want.Server)})
		}
	}
	if want.Project != "" {
		err := c.Engine.Get(ctx, client.ObjectKey{Namespace: c.Namespace, Name: want.Project}, &v1alpha1.AppProject{})
		if apierrors.IsNotFound(err) {
			unfit.Add("project", "there is no project of this name")
		} else if err != nil {
			return err
		}
	}
	if len(taken.By) > 0 {
		taken.Unfit = *unfit
		return taken
	}
	return unfit.Err()
}
