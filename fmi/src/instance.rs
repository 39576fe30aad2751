//! An instance: what `fmi2Component` points to.

use crate::abi::fmi2Component;
use crate::lifecycle::State;
use crate::logger::Logger;
use crate::model::Packaged;
use crate::slave::Slave;
use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a call works on.
pub struct Instance {
    /// Where it is in its life.
    pub state: State,
    /// Where messages go.
    pub logger: Logger,
    /// The model at work.
    pub slave: Box<dyn Slave>,
}

/// Marks memory as an instance of this library.
const MAGIC: u64 = u64::from_le_bytes(*b"sdockfmu");

/// What the caller's pointer points to: the instance and what protects it.
pub struct Component {
    magic: u64,
    busy: AtomicBool,
    instance: UnsafeCell<Instance>,
}

/// Why a component could not be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoComponent {
    /// The pointer is not one of ours.
    NotOurs,
    /// A call is under way: from another thread, or from a callback.
    Busy,
}

/// Exclusive use of an instance until dropped.
pub struct InUse<'a> {
    component: &'a Component,
}

impl InUse<'_> {
    /// The instance.
    pub fn instance(&mut self) -> &mut Instance {
        // SAFETY: `busy` was false before this was made and is true until it is dropped, so there
        // is no other reference to the content.
        unsafe { &mut *self.component.instance.get() }
    }
}

impl Drop for InUse<'_> {
    fn drop(&mut self) {
        self.component.busy.store(false, Ordering::Release);
    }
}

impl Component {
    /// A new instance, as the pointer for the caller.
    pub fn create(model: Arc<dyn Packaged>, logger: Logger) -> fmi2Component {
        let instance = Instance {
            state: State::Instantiated,
            logger,
            slave: model.create(),
        };
        let component = Box::new(Self {
            magic: MAGIC,
            busy: AtomicBool::new(false),
            instance: UnsafeCell::new(instance),
        });
        Box::into_raw(component).cast()
    }

    /// Exclusive use of the instance that `pointer` points to.
    ///
    /// # Safety
    ///
    /// `pointer` is NULL, or came from [`Component::create`] and has not been freed.
    pub unsafe fn lock<'a>(pointer: fmi2Component) -> Result<InUse<'a>, NoComponent> {
        let pointer: *const Self = pointer.cast_const().cast();
        if pointer.is_null() || !pointer.is_aligned() {
            return Err(NoComponent::NotOurs);
        }
        // SAFETY: as promised by the caller. The content is behind an UnsafeCell, so a shared
        // reference does no harm while another thread works on it.
        let component = unsafe { &*pointer };
        if component.magic != MAGIC {
            return Err(NoComponent::NotOurs);
        }
        if component.busy.swap(true, Ordering::Acquire) {
            return Err(NoComponent::Busy);
        }
        Ok(InUse { component })
    }

    /// Frees the instance.
    ///
    /// # Safety
    ///
    /// As for [`Component::lock`]; `in_use` is gone before, and nobody uses `pointer` afterwards.
    pub unsafe fn destroy(pointer: fmi2Component) {
        let pointer: *mut Self = pointer.cast();
        // SAFETY: the pointer came from Box::into_raw and is freed once. The mark is taken away
        // so that a second attempt is seen if the memory has not been used otherwise.
        unsafe {
            (*pointer).magic = 0;
            drop(Box::from_raw(pointer));
        }
    }
}
