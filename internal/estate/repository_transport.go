package estate

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/source"
)

// wayFields are the fields of a wish for the keys that say which way a repository
// is reached by.
var wayFields = map[string]string{
	"proxy": "secrets.proxy", "noProxy": "noProxy", "insecure": "insecure", "insecureOCIForceHttp": "plainHTTP",
	"forceHttpBasicAuth": "forceBasicAuth", "tlsClientCertData": "secrets.tlsClientCertData",
}

// checkWay refuses a repository by whose own way a template's credentials would
// be sent: who may write it may not read them. What is chosen here is marked, so
// that the same holds for templates that come later. A way that stays as it is
// was said by somebody else, and stays theirs.
func (r *Repositories) checkWay(before, after *corev1.Secret, unfit *api.Unfit) {
	now, err := source.ParseRepository(after)
	if err != nil || keepsWay(before, now) {
		return // checkSecrets tells of the error
	}
	delete(after.Annotations, gitops.AnnotationOwnWay)
	if !now.ChoosesWay() {
		return
	}
	if after.Annotations == nil {
		after.Annotations = map[string]string{}
	}
	after.Annotations[gitops.AnnotationOwnWay] = "true"
	for _, key := range r.Credentials.Departures(now) {
		unfit.Add(wayFields[key], "a template of credentials covers this address, and its credentials are sent by no way that it does not say itself: give the repository credentials of its own, or have the template say the same")
	}
}

func keepsWay(before *corev1.Secret, now source.Repository) bool {
	if before == nil {
		return false
	}
	old, err := source.ParseRepository(before)
	return err == nil && now.KeepsWay(old)
}
