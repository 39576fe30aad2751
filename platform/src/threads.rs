//! Work on all legs at once, on as many threads as were asked for; without the feature `threads` on the
//! caller's.

#[cfg(feature = "threads")]
use rayon::prelude::*;
#[cfg(feature = "threads")]
use std::sync::Arc;

/// The threads of one run. One thread works without a pool.
#[derive(Debug, Clone)]
pub struct ThreadPool {
    #[cfg(feature = "threads")]
    pool: Option<Arc<rayon::ThreadPool>>,
}

#[cfg(feature = "threads")]
impl ThreadPool {
    /// So many threads for `items` things to work on; 0 takes one per core. More threads than
    /// things would only stand in each other's way. If they cannot be had, the caller's thread
    /// does all.
    pub fn new(threads: usize, items: usize) -> Self {
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n,
        }
        .min(items);
        let pool = (threads > 1)
            .then(|| rayon::ThreadPoolBuilder::new().num_threads(threads).build())
            .and_then(Result::ok)
            .map(Arc::new);
        Self { pool }
    }

    /// Runs `work` where [`Self::for_each`] starts fastest: on one of the threads.
    pub fn enter<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Does `work` for every item. Each item is worked on by one thread; there is no other order.
    pub fn for_each<T: Send>(&self, items: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
        match &self.pool {
            Some(_) => items
                .par_iter_mut()
                .with_max_len(1)
                .enumerate()
                .for_each(|(i, item)| work(i, item)),
            None => items
                .iter_mut()
                .enumerate()
                .for_each(|(i, item)| work(i, item)),
        }
    }
}

#[cfg(not(feature = "threads"))]
impl ThreadPool {
    /// The caller's thread, whatever is asked for.
    pub fn new(_threads: usize, _items: usize) -> Self {
        Self {}
    }

    /// Runs `work`.
    pub fn enter<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        work()
    }

    /// Does `work` for every item.
    pub fn for_each<T: Send>(&self, items: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
        let each = |(i, item)| work(i, item);
        items.iter_mut().enumerate().for_each(each);
    }
}

/// `work` of every item, in their order, on the threads of the process.
pub fn map_all<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn((usize, &T)) -> R + Send + Sync,
) -> Vec<R> {
    #[cfg(feature = "threads")]
    return items.par_iter().enumerate().map(work).collect();
    #[cfg(not(feature = "threads"))]
    items.iter().enumerate().map(work).collect()
}
