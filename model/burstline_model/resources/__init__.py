"""What a kernel takes of a device, and the clock it will reach there."""

from burstline_model.devices.resource_use import Amounts, Part, ResourceUse
from burstline_model.resources.clock import FmaxRange, f_max_of
from burstline_model.resources.kernel_parts import resources_of

__all__ = ["Amounts", "FmaxRange", "Part", "ResourceUse", "f_max_of", "resources_of"]
