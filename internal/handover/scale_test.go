package handover

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/causeway-gitops/causeway/internal/takeover"
)

var labelled = map[string]string{"app": "argocd"}

func controller(replicas int32, remembered string) *appsv1.StatefulSet {
	s := &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "argocd-application-controller"},
		Spec:       appsv1.StatefulSetSpec{Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labelled}},
	}
	if remembered != "" {
		s.Annotations = map[string]string{takeover.AnnotationReplicas: remembered}
	}
	return s
}

// moved is a takeover at a hub that has some objects, and what it says.
func moved(objects ...runtime.Object) (t *Takeover, said *[]string) {
	said = &[]string{}
	say := func(format string, args ...any) { *said = append(*said, fmt.Sprintf(format, args...)) }
	return &Takeover{Options: Options{Say: say}, hub: Hub{Namespace: "argocd"}, clients: fake.NewClientset(objects...)}, said
}

func (t *Takeover) controllers(ctx context.Context, test *testing.T) *appsv1.StatefulSet {
	test.Helper()
	s, err := t.clients.AppsV1().StatefulSets("argocd").Get(ctx, "argocd-application-controller", metav1.GetOptions{})
	if err != nil {
		test.Fatal(err)
	}
	return s
}

// TestStopWaitsForPods holds that a controller has stopped when its Pods are gone,
// and that it is known from where it was scaled.
func TestStopWaitsForPods(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "one", Labels: labelled}}
		over := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "over", Labels: labelled}, Status: corev1.PodStatus{Phase: corev1.PodSucceeded}}
		to, said := moved(controller(3, ""), pod, over)
		go func() {
			time.Sleep(10 * time.Second)
			_ = to.clients.CoreV1().Pods("argocd").Delete(t.Context(), "one", metav1.DeleteOptions{})
		}()
		began := time.Now()
		if err := to.stop(t.Context(), "StatefulSet", "argocd-application-controller"); err != nil {
			t.Fatal(err)
		}
		if time.Since(began) < 10*time.Second {
			t.Error("a Pod still ran when it counted as stopped")
		}
		s := to.controllers(t.Context(), t)
		if *s.Spec.Replicas != 0 || s.Annotations[takeover.AnnotationReplicas] != "3" {
			t.Errorf("it is at %d, and %q is remembered", *s.Spec.Replicas, s.Annotations[takeover.AnnotationReplicas])
		}
		want := []string{"StatefulSet argocd-application-controller: scaled from 3 to 0", "StatefulSet argocd-application-controller: its Pods are gone"}
		if diff := cmp.Diff(want, *said); diff != "" {
			t.Errorf("it says (-want +got):\n%s", diff)
		}
	})
}

func TestStart(t *testing.T) {
	cases := map[string]struct {
		reason     string
		replicas   int32
		remembered string
		want       int32
		says       string
	}{
		"Stopped": {"it was at 2 before the takeover", 0, "2", 2, "scaled to 2"},
		"Zero":    {"it was at 0 before, too", 0, "0", 0, "scaled to 0"},
		"Never":   {"no takeover has scaled it, so it is left alone", 0, "", 0, ""},
		"Unclear": {"what is remembered is no number", 0, "many", 0, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := controller(tc.replicas, tc.remembered)
				s.Status.ReadyReplicas = 2
				to, said := moved(s)
				if err := to.start(t.Context(), "StatefulSet", s.Name); err != nil {
					t.Fatal(err)
				}
				got := to.controllers(t.Context(), t)
				_, kept := got.Annotations[takeover.AnnotationReplicas]
				if *got.Spec.Replicas != tc.want || kept != (tc.says == "" && tc.remembered != "") {
					t.Errorf("%s: it is at %d, with %v", tc.reason, *got.Spec.Replicas, got.Annotations)
				}
				if all := strings.Join(*said, "\n"); !strings.Contains(all, tc.says) || (all == "") != (tc.says == "") {
					t.Errorf("%s: it says %q, want %q", tc.reason, all, tc.says)
				}
			})
		})
	}
}
