package doctor

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/rows"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// checkRepositories tries to reach the host of each repository. Whether the
// credentials are good shows in the applications.
func checkRepositories(ctx context.Context, h *target.Hub) []finding {
	views, err := rows.KnownRepositories(ctx, h, labels.Everything())
	if err != nil {
		return []finding{{"repositories", fail, h.Explain(err).Error(), ""}}
	}
	found := make([]finding, len(views))
	var group sync.WaitGroup
	for i, view := range views {
		group.Go(func() { found[i] = checkRepository(ctx, view) })
	}
	group.Wait()
	return found
}

func checkRepository(ctx context.Context, v *rows.Repository) finding {
	at, err := address.Parse(v.URL)
	if err != nil {
		return finding{"repository " + cmp.Or(v.URL, v.Secret, "of an application"), fail, err.Error(), "correct " + addressOf(v)}
	}
	name := "repository " + cmp.Or(at.String(), v.URL)
	if v.Mirror != "" {
		return finding{name, fine, "served from " + v.Mirror, ""}
	}
	err = reach(ctx, at)
	if untrusted := (*tls.CertificateVerificationError)(nil); errors.As(err, &untrusted) {
		return finding{name, warn, "its host answers, and this machine does not trust its certificate: " + untrusted.Err.Error(), "the engine goes by ConfigMap argocd-tls-certs-cm of the hub: see that it has the certificate"}
	}
	if err != nil {
		return finding{name, fail, err.Error(), "check the address and the network, or serve it from a folder with --mirror"}
	}
	return finding{name, fine, "its host answers", ""}
}

// addressOf is where a repository's address is written.
func addressOf(v *rows.Repository) string {
	if v.Secret == "" {
		return "repoURL of the applications that have it: causeway get apps"
	}
	return "data.url of Secret " + v.Secret
}

// reach asks as little as tells that somebody is there.
func reach(ctx context.Context, at address.Address) error {
	ctx, cancel := context.WithTimeout(ctx, target.CheckPatience)
	defer cancel()
	switch at.Scheme {
	case "file":
		_, err := os.Stat(at.Path)
		return err
	case "ssh", "git":
		return dial(ctx, endpoint(at.Host, gitops.UsualPort(at.Scheme)))
	case "http", "https":
		return request(ctx, at.Scheme+"://"+at.Host)
	}
	err := request(ctx, "https://"+at.Host+"/v2/")
	if errors.Is(err, http.ErrSchemeMismatch) {
		return nil // a registry in the clear is there, too
	}
	return err
}

// endpoint is a host, which may be an IP address in brackets, with a port.
func endpoint(host, port string) string {
	name, own := address.SplitPort(host)
	return name + ":" + cmp.Or(own, port)
}

func dial(ctx context.Context, at string) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", at)
	if err != nil {
		return err
	}
	return conn.Close()
}

// request is content with any answer: a repository may want credentials, and send
// browsers elsewhere.
func request(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, url, nil)
	if err != nil {
		return err
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return errors.Unwrap(err)
	}
	return res.Body.Close()
}

// checkApplications lists those in trouble, with the reason.
func checkApplications(ctx context.Context, h *target.Hub) []finding {
	snapshot, err := target.Counts(ctx, h)
	if err != nil {
		return []finding{{"applications", fail, h.Explain(err).Error(), ""}}
	}
	var found []finding
	unseen := 0
	for _, a := range snapshot.Apps {
		switch {
		case a.Checking: // what its status says is of an earlier run
			unseen++
		case a.Problem != "":
			found = append(found, finding{"application " + a.Name, fail, a.Problem, "causeway get app " + a.Name + " -o yaml"})
		case !a.Good() && !a.Idle():
			found = append(found, finding{"application " + a.Name, warn, strings.TrimSuffix(a.Sync+", "+a.Health+": "+a.Message, ": "), ""})
		}
	}
	found = append(found, checkSets(ctx, h)...)
	t := snapshot.Count("")
	if unseen > 0 {
		found = append(found, finding{"applications", fine, gitops.Count(unseen, "application") + " not looked at yet since the last start or request", ""})
	}
	return append(found, finding{"applications", fine, fmt.Sprintf("%d of %d Synced and Healthy", t.Good, t.Apps), ""})
}

func checkSets(ctx context.Context, h *target.Hub) []finding {
	list := &v1alpha1.ApplicationSetList{}
	if err := h.Client.List(ctx, list, client.InNamespace(h.Namespace)); err != nil {
		return []finding{{"application sets", fail, h.Explain(err).Error(), ""}}
	}
	var found []finding
	for i := range list.Items {
		s := fleetstatus.SetOf(&list.Items[i])
		if s.Problem != "" {
			found = append(found, finding{"appset " + s.Name, fail, s.Problem, "causeway get appset " + s.Name + " -o yaml"})
		}
		if s.Warning != "" {
			found = append(found, finding{"appset " + s.Name, warn, s.Warning, "causeway bridge"})
		}
	}
	return found
}
