package difference

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// fillResources lets a Pod as a whole request what its containers request together, and
// else what it is limited to, where it has limits. Huge pages are requested as they are
// limited, by the Pod or by its containers.
func fillResources(s *corev1.PodSpec) {
	r := s.Resources
	if r == nil || len(r.Limits)+len(r.Requests) == 0 {
		return
	}
	pages := together(s, func(c *corev1.Container) corev1.ResourceList { return c.Resources.Limits })
	r.Limits = lacking(r.Limits, pages, func(name corev1.ResourceName) bool {
		_, requested := r.Requests[name]
		return isHugePages(name) && !requested
	})
	if len(r.Limits) == 0 {
		return
	}
	requests := together(s, func(c *corev1.Container) corev1.ResourceList { return c.Resources.Requests })
	r.Requests = lacking(r.Requests, requests, isPodWide)
	r.Requests = lacking(r.Requests, r.Limits, func(name corev1.ResourceName) bool { return isPodWide(name) || isHugePages(name) })
}

func isPodWide(name corev1.ResourceName) bool {
	return name == corev1.ResourceCPU || name == corev1.ResourceMemory
}

func isHugePages(name corev1.ResourceName) bool {
	return strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

// lacking is a list with what it lacks of another one, of some resources.
func lacking(list, from corev1.ResourceList, which func(corev1.ResourceName) bool) corev1.ResourceList {
	for name, quantity := range from {
		if _, there := list[name]; there || !which(name) {
			continue
		}
		if list == nil {
			list = corev1.ResourceList{}
		}
		list[name] = quantity.DeepCopy()
	}
	return list
}

// together is what all containers of a Pod take: those that run side by side, or one of
// those before them with what has been started by then, where that takes more.
func together(s *corev1.PodSpec, of func(*corev1.Container) corev1.ResourceList) corev1.ResourceList {
	all, sidecars, most := corev1.ResourceList{}, corev1.ResourceList{}, corev1.ResourceList{}
	for i := range s.Containers {
		plus(all, of(&s.Containers[i]))
	}
	for i := range s.InitContainers {
		c := &s.InitContainers[i]
		now := sidecars.DeepCopy()
		plus(now, of(c))
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			sidecars = now
			plus(all, of(c))
		}
		atLeast(most, now)
	}
	atLeast(all, most)
	return all
}

func plus(list, more corev1.ResourceList) {
	for name, quantity := range more {
		sum := list[name].DeepCopy()
		sum.Add(quantity)
		list[name] = sum
	}
}

func atLeast(list, least corev1.ResourceList) {
	for name, quantity := range least {
		if there, ok := list[name]; !ok || quantity.Cmp(there) > 0 {
			list[name] = quantity
		}
	}
}
