package witness

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// missed returns the states that objects of one kind had after a revision, up to that of a list, oldest first. An API
// server that was killed no longer tells what happened before it came back, but etcd still has each state: it is asked
// for the list as it was right before the last change, and so on back to the revision. What was made and deleted
// between two changes of others is not among them.
func (r *Recorder) missed(ctx context.Context, kind schema.GroupVersionResource, since string, list *unstructured.UnstructuredList) ([]*unstructured.Unstructured, error) {
	known, err := strconv.ParseUint(since, 10, 64)
	if err != nil {
		return nil, err
	}
	states := map[uint64]*unstructured.Unstructured{}
	for {
		last := newest(list, known, states)
		if last <= known+1 {
			break
		}
		before := strconv.FormatUint(last-1, 10)
		list, err = r.client.Resource(kind).List(ctx, metav1.ListOptions{ResourceVersion: before, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
		if err != nil {
			return nil, err
		}
	}
	out := make([]*unstructured.Unstructured, 0, len(states))
	for _, o := range states {
		out = append(out, o)
	}
	slices.SortFunc(out, func(a, b *unstructured.Unstructured) int { return cmp.Compare(revisionOf(a), revisionOf(b)) })
	return out, nil
}

// newest takes down the states of a list that are younger than a revision, and returns the revision of the youngest.
func newest(list *unstructured.UnstructuredList, known uint64, states map[uint64]*unstructured.Unstructured) uint64 {
	var last uint64
	for i := range list.Items {
		o := &list.Items[i]
		if at := revisionOf(o); at > known {
			states[at], last = o.DeepCopy(), max(last, at)
		}
	}
	return last
}

func revisionOf(o *unstructured.Unstructured) uint64 {
	revision, _ := strconv.ParseUint(o.GetResourceVersion(), 10, 64)
	return revision
}
