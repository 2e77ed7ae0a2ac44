package difference

import (
	corev1 "k8s.io/api/core/v1"
)

const (
	fileMode     int32 = 0o644
	tokenSeconds int64 = 3600
)

func fillVolume(o any) bool {
	switch o := o.(type) {
	case *corev1.Volume:
		if o.VolumeSource == (corev1.VolumeSource{}) {
			o.EmptyDir = &corev1.EmptyDirVolumeSource{}
		}
		if o.Image != nil && o.Image.Reference != "" {
			or(&o.Image.PullPolicy, pullPolicy(o.Image.Reference))
		}
	case *corev1.SecretVolumeSource:
		orPointer(&o.DefaultMode, fileMode)
	case *corev1.ConfigMapVolumeSource:
		orPointer(&o.DefaultMode, fileMode)
	case *corev1.DownwardAPIVolumeSource:
		orPointer(&o.DefaultMode, fileMode)
	case *corev1.ProjectedVolumeSource:
		orPointer(&o.DefaultMode, fileMode)
	case *corev1.ServiceAccountTokenProjection:
		orPointer(&o.ExpirationSeconds, tokenSeconds)
	case *corev1.HostPathVolumeSource:
		orPointer(&o.Type, corev1.HostPathUnset)
	case *corev1.PersistentVolume:
		or(&o.Status.Phase, corev1.VolumePending)
		or(&o.Spec.PersistentVolumeReclaimPolicy, corev1.PersistentVolumeReclaimRetain)
		orPointer(&o.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
	case *corev1.PersistentVolumeClaim:
		or(&o.Status.Phase, corev1.ClaimPending)
	case *corev1.PersistentVolumeClaimSpec:
		orPointer(&o.VolumeMode, corev1.PersistentVolumeFilesystem)
	default:
		return fillOldVolume(o)
	}
	return true
}

func fillOldVolume(o any) bool {
	switch o := o.(type) {
	case *corev1.ISCSIVolumeSource:
		or(&o.ISCSIInterface, "default")
	case *corev1.ISCSIPersistentVolumeSource:
		or(&o.ISCSIInterface, "default")
	case *corev1.RBDVolumeSource:
		or(&o.RBDPool, "rbd")
		or(&o.RadosUser, "admin")
		or(&o.Keyring, "/etc/ceph/keyring")
	case *corev1.RBDPersistentVolumeSource:
		or(&o.RBDPool, "rbd")
		or(&o.RadosUser, "admin")
		or(&o.Keyring, "/etc/ceph/keyring")
	case *corev1.AzureDiskVolumeSource:
		orPointer(&o.CachingMode, corev1.AzureDataDiskCachingReadWrite)
		orPointer(&o.Kind, corev1.AzureSharedBlobDisk)
		orPointer(&o.FSType, "ext4")
		orPointer(&o.ReadOnly, false)
	case *corev1.ScaleIOVolumeSource:
		or(&o.StorageMode, "ThinProvisioned")
		or(&o.FSType, "xfs")
	case *corev1.ScaleIOPersistentVolumeSource:
		or(&o.StorageMode, "ThinProvisioned")
		or(&o.FSType, "xfs")
	default:
		return false
	}
	return true
}
