package kubelet

import (
	"fmt"
	"net/http"
	"net/url"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/core/install" // teaches legacyscheme what a query about logs holds
)

// handler knows the one path of the kubelet's API that is served.
func handler(pods client.PodsGetter) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /containerLogs/{namespace}/{pod}/{container}", logs{pods})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "this node is simulated: there are logs, but nothing to execute, attach to or forward", http.StatusNotImplemented)
	})
	return mux
}

type logs struct {
	pods client.PodsGetter
}

// ServeHTTP writes the log of a container. The API server has checked before that pod and container exist.
func (l logs) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	options, err := decode(r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	pods := l.pods.Pods(r.PathValue("namespace"))
	pod, err := pods.Get(r.Context(), r.PathValue("pod"), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	container := r.PathValue("container")
	story, err := tell(pod, container, options.Previous)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	out := newPrinter(w, options)
	out.tail(story.lines, options.TailLines)
	if options.Follow && !options.Previous && !story.over {
		follow(r.Context(), pods, pod, container, out)
	}
}

func decode(query url.Values) (*corev1.PodLogOptions, error) {
	options := &corev1.PodLogOptions{}
	if err := legacyscheme.ParameterCodec.DecodeParameters(query, corev1.SchemeGroupVersion, options); err != nil {
		return nil, fmt.Errorf("cannot read the options of the log: %w", err)
	}
	return options, nil
}
