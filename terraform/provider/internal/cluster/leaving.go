package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/declare"
	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

// mostShown is how many Applications a warning names.
const mostShown = 20

// leaving tells which Applications are for a cluster that is taken away.
func leaving(ctx context.Context, hub *object.Client, o *unstructured.Unstructured) (declare.Notice, error) {
	name, _, _ := unstructured.NestedString(o.Object, "stringData", "name")
	server, _, _ := unstructured.NestedString(o.Object, "stringData", "server")
	all, err := hub.Applications(ctx, o.GetNamespace())
	if err != nil {
		return declare.Notice{}, err
	}
	going, staying := losing(all, name, server)
	if len(going)+len(staying) == 0 {
		return declare.Notice{}, nil
	}
	var detail []string
	if len(going) > 0 {
		detail = append(detail, fmt.Sprintf("Made by ApplicationSets: %s.\nWhere this plan deletes their sets as well, they go before the cluster, with what they deployed. "+
			"Else they go when their sets lose the cluster, and what they deployed stays there, owned by nobody. To have it deleted, switch the cluster's addons off first, "+
			"apply, wait until the Applications are gone, and then take the cluster away.", shown(going)))
	}
	if len(staying) > 0 {
		detail = append(detail, fmt.Sprintf("Not made by ApplicationSets: %s.\nThey stay, as does what they deployed, and can no longer be synced.", shown(staying)))
	}
	return declare.Notice{
		Summary: fmt.Sprintf("Applications lose cluster %s: %d to go, %d to stay", name, len(going), len(staying)),
		Detail:  strings.Join(detail, "\n\n"),
	}, nil
}

// losing are the Applications for a cluster: those that ApplicationSets made,
// and others.
func losing(all []object.Placed, name, server string) (going, staying []string) {
	for _, a := range all {
		byName := a.Cluster != "" && a.Cluster == name
		byServer := a.Server != "" && a.Server == server && server != DefaultServer // the hub is known without a Secret
		switch {
		case !byName && !byServer:
		case a.Made:
			going = append(going, a.Name)
		default:
			staying = append(staying, a.Name)
		}
	}
	return going, staying
}

func shown(names []string) string {
	slices.Sort(names)
	text := strings.Join(names[:min(len(names), mostShown)], ", ")
	if more := len(names) - mostShown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
