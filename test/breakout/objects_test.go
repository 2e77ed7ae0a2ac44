package breakout

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// objects are attempts of who writes objects in a destination namespace of red's, by hand.
func objects() map[string]attempt {
	return map[string]attempt{
		"ManyMarkedAsBlues": {
			reason: "objects that others mark as blue's are deletions that trip blue's guard, or stop its sync",
			play: func(s *stage) {
				for i := range 20 {
					name := fmt.Sprintf("marked-%d", i)
					s.have(marked(name, "blue-apps_shop:/ConfigMap:red/"+name))
				}
				s.until(s.t, shopKey, "told of what others have marked", func(a *v1alpha1.Application) bool {
					return strings.Contains(said(a), v1alpha1.ApplicationConditionForeignResourceWarning)
				})
			},
		},
		"MarkOfBluesObject": {
			reason: "an object that bears the mark of one of blue's is taken for that one",
			play:   byHand(func(*stage) client.Object { return marked("settings", "blue-apps_shop:/ConfigMap:blue/settings") }),
		},
		"MarkOfAnotherNamesake": {
			reason: "an object that bears the mark of an Application that is nowhere is anybody's to delete",
			play:   byHand(func(*stage) client.Object { return marked("stray", "argocd_shop:/ConfigMap:red/stray") }),
		},
		"OwnedByBluesObject": {
			reason: "an object that says a blue one owns it is blue's",
			play: byHand(func(s *stage) client.Object {
				owner := &corev1.ConfigMap{}
				if err := s.Get(s.t.Context(), client.ObjectKey{Namespace: blueNS, Name: "settings"}, owner); err != nil {
					s.t.Fatal(err)
				}
				yes, cm := true, marked("owned", "blue-apps_shop:/ConfigMap:red/owned")
				cm.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID, BlockOwnerDeletion: &yes}}
				return cm
			}),
		},
		"SettingsOfTheProduct": {
			reason: "a ConfigMap with the name of the product's own is read wherever it is",
			play: byHand(func(*stage) client.Object {
				cm := marked("argocd-cm", "")
				cm.Labels = map[string]string{"app.kubernetes.io/part-of": "argocd"}
				cm.Data = map[string]string{"application.sync.impersonation.enabled": "false", "globalProjects": "[]"}
				return cm
			}),
		},
		"RepositorySecret": {
			reason: "a Secret of the product's kind is a credential wherever it is",
			play: byHand(func(s *stage) client.Object {
				return &corev1.Secret{
					ObjectMeta: metav1.ObjectMeta{Name: "blue-repo", Namespace: redNS, Labels: map[string]string{v1alpha1.LabelSecretType: "repository"}},
					StringData: map[string]string{"url": s.blue.repo(), "username": "red", "password": "red"},
				}
			}),
		},
		"ClusterSecret": {
			reason: "a Secret of the product's kind is a cluster wherever it is, and takes blue's server",
			play: byHand(func(s *stage) client.Object {
				return &corev1.Secret{
					ObjectMeta: metav1.ObjectMeta{Name: "blues-cluster", Namespace: redNS, Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}},
					StringData: map[string]string{"name": "blues-cluster", "server": s.hub.Host, "config": "{}"},
				}
			}),
		},
		"ProjectOfRedsOwn": {
			reason: "a project counts wherever it is",
			app:    func(_ *stage, a *v1alpha1.Application) { a.Spec.Project = "red-everything" },
			play: func(s *stage) {
				everything := []v1alpha1.ApplicationDestination{{Server: "*", Namespace: "*"}}
				s.have(&v1alpha1.AppProject{
					ObjectMeta: metav1.ObjectMeta{Name: "red-everything", Namespace: redApps},
					Spec:       v1alpha1.AppProjectSpec{SourceRepos: []string{"*"}, Destinations: everything, SourceNamespaces: []string{"*"}},
				})
				s.create()
				s.answered()
				s.remove()
			},
			says: []string{`cannot find AppProject "red-everything"`},
		},
		"ProjectOfBluesName": {
			reason: "a project of blue's name beside the Application is taken for blue's",
			app:    func(_ *stage, a *v1alpha1.Application) { a.Spec.Project, a.Spec.Destination.Namespace = "blue", blueNS },
			play: func(s *stage) {
				s.have(&v1alpha1.AppProject{
					ObjectMeta: metav1.ObjectMeta{Name: "blue", Namespace: redApps},
					Spec:       v1alpha1.AppProjectSpec{SourceRepos: []string{"*"}, Destinations: []v1alpha1.ApplicationDestination{{Server: "*", Namespace: "*"}}, SourceNamespaces: []string{"*"}},
				})
				s.create()
				s.answered()
				s.remove()
			},
			says: []string{noProject},
		},
		"RedsObjectInTheWay": {
			reason: "an object that stands where red deploys is red's matter, and its deletion reaches no further",
			files:  one(`{apiVersion: v1, kind: ConfigMap, metadata: {name: in-the-way}, data: {version: red}}`),
			play: func(s *stage) {
				s.have(marked("in-the-way", "blue-apps_shop:/ConfigMap:red/in-the-way"))
				s.create()
				s.until(s.t, s.key(), "compared", func(a *v1alpha1.Application) bool {
					return a.Status.OperationState != nil && a.Status.OperationState.Phase.Completed()
				})
				s.remove()
			},
		},
	}
}

// marked is a ConfigMap of red's that bears a tracking id.
func marked(name, id string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: redNS, Annotations: map[string]string{v1alpha1.AnnotationTrackingID: id}}}
}

// have creates an object that is there until the attempt is over and blue has synced.
func (s *stage) have(o client.Object) {
	s.t.Helper()
	if err := s.Create(s.t.Context(), o); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := client.IgnoreNotFound(s.Delete(s.bed.t.Context(), o)); err != nil {
			s.t.Error(err)
		}
	})
}

// byHand writes an object, and has the engine do some work of red's after it.
func byHand(object func(*stage) client.Object) func(*stage) {
	return func(s *stage) {
		s.have(object(s))
		s.create()
		s.untilDone()
		s.remove()
	}
}
